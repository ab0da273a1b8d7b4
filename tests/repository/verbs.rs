//! Functions that carry the algorithm: how long they are, and formulas that are to be written once.

use crate::code::Source;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, Signature};

/// Lines that the step and the solve may have, from signature to closing brace.
const LONGEST: usize = 40;

/// The functions of a file, without those inside test modules.
#[derive(Default)]
struct Functions<'a>(Vec<(&'a Signature, &'a syn::Block)>);

impl<'a> Visit<'a> for Functions<'a> {
    fn visit_item_mod(&mut self, module: &'a syn::ItemMod) {
        if module.ident != "tests" {
            visit::visit_item_mod(self, module);
        }
    }

    fn visit_item_fn(&mut self, f: &'a syn::ItemFn) {
        self.0.push((&f.sig, &f.block));
        visit::visit_item_fn(self, f);
    }

    fn visit_impl_item_fn(&mut self, f: &'a syn::ImplItemFn) {
        self.0.push((&f.sig, &f.block));
        visit::visit_impl_item_fn(self, f);
    }
}

/// What `look` finds in each function of a file.
fn each(source: &Source, look: &mut dyn FnMut(&Signature, &syn::Block)) {
    let file = syn::parse_file(&source.text).expect("Rust source");
    let mut functions = Functions::default();
    functions.visit_file(&file);
    functions.0.iter().for_each(|(sig, block)| look(sig, block));
}

/// Functions of this name in a folder that are too long.
pub(crate) fn too_long(sources: &[Source], folder: &str, name: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for source in sources.iter().filter(|s| s.path.starts_with(folder)) {
        each(source, &mut |sig, block| {
            let first = sig.fn_token.span().start().line;
            let lines = block.brace_token.span.close().end().line + 1 - first;
            if sig.ident == name && lines > LONGEST {
                let path = &source.path;
                faults.push(format!(
                    "{path}:{first}: `{name}` has {lines} lines; accepted: {LONGEST}"
                ));
            }
        });
    }
    faults
}

/// What a function does with velocities and the normal.
#[derive(Default)]
struct Terms {
    /// Crosses something with the normal, the normal as the second factor.
    turned: bool,
    /// Subtracts.
    subtracts: bool,
}

/// Whether an expression is a normal: `n`, `&n`, `contact.law.normal`.
fn is_normal(mut of: &Expr) -> bool {
    while let Expr::Reference(syn::ExprReference { expr, .. })
    | Expr::Paren(syn::ExprParen { expr, .. }) = of
    {
        of = expr;
    }
    let named = |name: &syn::Ident| name == "n" || name == "normal";
    match of {
        Expr::Path(path) => path.path.get_ident().is_some_and(named),
        Expr::Field(field) => matches!(&field.member, syn::Member::Named(name) if named(name)),
        _ => false,
    }
}

impl<'a> Visit<'a> for Terms {
    fn visit_expr_method_call(&mut self, call: &'a syn::ExprMethodCall) {
        let by_normal = call.args.last().is_some_and(is_normal) && !is_normal(&call.receiver);
        self.turned |= call.method == "cross" && by_normal;
        self.subtracts |= call.method.to_string().starts_with("sub");
        visit::visit_expr_method_call(self, call);
    }

    fn visit_expr_call(&mut self, call: &'a syn::ExprCall) {
        if let Expr::Path(path) = &*call.func
            && let Some(name) = path.path.segments.last().map(|s| s.ident.to_string())
        {
            let mut last = call.args.iter().rev();
            let by_normal = last.next().is_some_and(is_normal);
            self.turned |= name == "cross" && by_normal && !last.next().is_some_and(is_normal);
            self.subtracts |= name.starts_with("sub");
        }
        visit::visit_expr_call(self, call);
    }

    fn visit_expr_binary(&mut self, binary: &'a syn::ExprBinary) {
        self.subtracts |= matches!(binary.op, syn::BinOp::Sub(_) | syn::BinOp::SubAssign(_));
        visit::visit_expr_binary(self, binary);
    }
}

/// Functions that write out `v_b − v_a − (s_a + s_b) × n`: a difference, and a cross product by the normal.
///
/// The moment of an impulse, `n × r`, has the normal as the first factor and is none of them.
pub(crate) fn relative_velocities(sources: &[Source]) -> Vec<String> {
    let mut found = Vec::new();
    for source in sources.iter().filter(|s| !s.path.contains("tests")) {
        each(source, &mut |sig, block| {
            let mut terms = Terms::default();
            terms.visit_block(block);
            if terms.turned && terms.subtracts {
                let line = sig.span().start().line;
                found.push(format!("{}:{line}: {}", source.path, sig.ident));
            }
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(text: &str) -> Source {
        Source::new("src/a.rs", text)
    }

    #[test]
    fn forty_lines_from_signature_to_brace_are_accepted() {
        let body = |lines: usize| {
            format!(
                "/// x\nimpl A {{\nfn step() {{\n{}}}\n}}",
                "g();\n".repeat(lines)
            )
        };
        let faults = |lines, folder, name| too_long(&[source(&body(lines))], folder, name).len();
        assert_eq!(faults(38, "src/", "step"), 0);
        assert_eq!(faults(39, "src/", "step"), 1);
        assert_eq!(
            faults(39, "src/", "steps") + faults(39, "src/b/", "step"),
            0
        );
    }

    #[test]
    fn relative_velocities_are_found_however_they_are_written() {
        for formula in [
            "b.velocity() - a.velocity() - (a.spin() + b.spin()).cross(&self.law.normal)",
            "let turn = cross(s, &add3(s, &a, &b), &n); sub3(s, &u, &turn)",
            "let turn = cross(s, &both, &n); s.sub_f64s(u[0], turn[0])",
            "let (p, q) = (v_a + s_a.cross(n), v_b - s_b.cross(n));",
        ] {
            let text = format!("impl A {{ fn f() {{ {formula} }} }}");
            assert_eq!(relative_velocities(&[source(&text)]).len(), 1, "{formula}");
        }
        for other in [
            "let couple = normal.cross(impulse); s - couple * x",
            "let t1 = normal.cross(&axis); a - b",
            "cross(s, n, &spin); a - b",
            "axis.cross(n) * sign",
        ] {
            let text = format!("fn f() {{ {other} }}");
            assert!(relative_velocities(&[source(&text)]).is_empty(), "{other}");
        }
    }
}
