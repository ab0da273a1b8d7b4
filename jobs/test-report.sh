#!/usr/bin/env bash
# Opens the page of `moreau report` in a browser without a screen and checks it.
#
#   bash jobs/test-report.sh [DIR...]
#
# The checks: no error in the console, no request to a network, curves of some size in every plot.
# Pictures show the page in light and dark, on a phone and printed. DIR: folders of runs; without
# any, the script makes two short runs. MOREAU names the program (default: target/release/moreau,
# built if missing). Writes target/report-test/NAME-{light,dark,phone,print}.png. Needs Chromium
# (and pdftoppm for the printed page); as root on a system with apt it installs them.
set -euo pipefail
self=$(realpath "$0")
cd "$(dirname "$self")/.."
case ${1-} in
-h | --help)
    sed -n '2,/^set /{s/^# \{0,1\}//;/^set /d;p;}' "$self"
    exit 0
    ;;
esac

browser=
for name in chromium chromium-browser google-chrome; do
    command -v "$name" >/dev/null && browser=$name && break
done
if [ -z "$browser" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends chromium poppler-utils fonts-dejavu-core
    browser=chromium
fi
[ -n "$browser" ] || { echo "test-report: no Chromium found; install chromium" >&2; exit 1; }

moreau=${MOREAU:-${CARGO_TARGET_DIR:-target}/release/moreau}
if [ ! -x "$moreau" ]; then
    cargo build --release
fi
to=$PWD/target/report-test
mkdir -p "$to"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

runs=("$@")
if [ ${#runs[@]} = 0 ]; then
    "$moreau" run configs/settle.toml --out "$work/balls" --steps 400 --set bodies.0.count=1500 \
        --set 'domain.upper=[0.12, 0.12, 0.30]' >/dev/null
    "$moreau" run configs/biaxial-2d.toml --out "$work/discs" --steps 150 --set bodies.0.count=160 \
        --set 'bodies.0.upper=[0.22, 0.13, 0.05]' --set 'domain.upper=[0.3, 0.2, 0.05]' --set 'wall.1.point=[0.22, 0.0, 0.0]' \
        --set wall.1.free.mass=20.0 --set 'wall.1.free.load=[-6.5e3, 0.0, 0.0]' --set 'wall.3.point=[0.0, 0.13, 0.0]' \
        --set 'region.0.lower=[0.02, 0.02, -0.05]' --set 'region.0.upper=[0.1, 0.1, 0.05]' >/dev/null
    runs=("$work/balls" "$work/discs")
fi

# The browser on a page, with its log on standard error. No network: a name that cannot be resolved.
browse() {
    "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --enable-logging=stderr --v=0 --user-data-dir="$work/profile" \
        --host-resolver-rules='MAP * ~NOTFOUND' --virtual-time-budget=4000 "$@"
}

# The layout of a page: each plot with the size of its curves.
look='<script>addEventListener("load", () => {
    const told = [];
    document.querySelectorAll("figure.plot").forEach(figure => {
        const title = figure.querySelector("h3").textContent;
        let wide = 0, high = 0, count = 0;
        figure.querySelectorAll("svg polyline[stroke^=var], svg circle").forEach(curve => {
            const box = curve.getBoundingClientRect();
            count += 1; wide = Math.max(wide, box.width); high = Math.max(high, box.height);
        });
        const clash = [...figure.querySelectorAll("svg text")].map(t => t.getBoundingClientRect());
        let over = 0;
        clash.forEach((a, i) => clash.slice(i + 1).forEach(b => {
            if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3) over += 1;
        }));
        told.push(["PLOT", count, Math.round(wide), Math.round(high), over, title].join("\t"));
    });
    document.querySelectorAll("img").forEach(i => told.push(["IMAGE", i.naturalWidth, i.naturalHeight].join("\t")));
    told.push("WIDE\t" + document.documentElement.scrollWidth + "\t" + innerWidth);
    const summary = document.querySelector(".scroll");
    told.push("SUMMARY\t" + summary.scrollWidth + "\t" + summary.clientWidth);
    const pre = document.createElement("pre");
    pre.id = "told"; pre.textContent = told.join("\n"); document.body.append(pre);
    parent.postMessage(pre.textContent, "*");
});</script>'

status=0
fault() {
    echo "test-report: $1" >&2
    status=1
}

for run in "${runs[@]}"; do
    name=$(basename "$run")
    "$moreau" report "$run"
    page=$(realpath "$run")/report.html
    grep -q 'https\{0,1\}://' "$page" && fault "$name: the page names an address"
    { cat "$page"; echo "$look"; } >"$work/$name.html"
    browse --window-size=1200,900 --dump-dom "file://$work/$name.html" >"$work/$name.dom" 2>"$work/$name.log" || fault "$name: the browser failed"
    if grep -E 'CONSOLE|Uncaught|ERR_' "$work/$name.log"; then
        fault "$name: the console is not empty"
    fi
    # The same in a frame of a phone's width, which passes on the layout: the browser's own window
    # has a least width.
    cat >"$work/phone.html" <<END
<body style='margin:0'><script>addEventListener("message", told => {
    const pre = document.createElement("pre");
    pre.id = "told"; pre.textContent = told.data; document.body.append(pre);
});</script><iframe src='file://$work/$name.html' style='border:0;width:390px;height:4400px'></iframe>
END
    browse --window-size=390,4400 --dump-dom "file://$work/phone.html" >"$work/phone.dom" 2>/dev/null || fault "$name: the browser failed"
    for dom in "$name" phone; do
        sed -n '/<pre id="told">/,/<\/pre>/p' "$work/$dom.dom" | sed 's/<[^>]*>//g' >"$work/$dom.told"
    done
    grep -q '^SUMMARY' "$work/phone.told" || fault "$name: the page says nothing on a phone"
    grep -E '^(WIDE|SUMMARY)' "$work/phone.told" >>"$work/$name.told" || true
    plots=0
    while IFS=$'\t' read -r kind a b c d title; do
        case $kind in
        PLOT)
            plots=$((plots + 1))
            echo "  $name: $title: $a curves, up to $b x $c pixels, $d labels overlap"
            if [ "$a" -lt 1 ] || [ "$b" -lt 4 ]; then fault "$name: $title: is empty"; fi
            [ "$d" = 0 ] || fault "$name: $title: $d pairs of labels overlap"
            ;;
        IMAGE)
            if [ "$a" -lt 300 ] || [ "$b" -lt 200 ]; then fault "$name: a picture of $a x $b pixels"; fi
            ;;
        WIDE)
            [ "$a" -le "$b" ] || fault "$name: the page is wider ($a) than the window ($b)"
            ;;
        SUMMARY)
            [ "$a" -le "$b" ] || fault "$name: the summary is wider ($a) than its place ($b)"
            ;;
        esac
    done <"$work/$name.told"
    [ $plots -ge 8 ] || fault "$name: $plots plots, expected 8 or more"
    browse --window-size=1200,4200 --screenshot="$to/$name-light.png" --blink-settings=preferredColorScheme=1 "file://$page" 2>/dev/null
    browse --window-size=1200,4200 --screenshot="$to/$name-dark.png" --blink-settings=preferredColorScheme=0 "file://$page" 2>/dev/null
    browse --window-size=390,4400 --screenshot="$to/$name-phone.png" "file://$work/phone.html" 2>/dev/null
    browse --print-to-pdf="$work/$name.pdf" --no-pdf-header-footer "file://$page" 2>/dev/null
    if command -v pdftoppm >/dev/null; then
        pdftoppm -r 60 -png -f 1 -l 2 "$work/$name.pdf" "$work/$name-print"
        cp "$(find "$work" -name "$name-print-*.png" | sort | head -n 1)" "$to/$name-print.png"
        cp "$(find "$work" -name "$name-print-*.png" | sort | tail -n 1)" "$to/$name-print-2.png"
    fi
done
[ $status = 0 ] && echo "test-report: all good; look at $to"
exit $status
