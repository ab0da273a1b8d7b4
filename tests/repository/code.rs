//! Rust source as rules look at it: the paths that code names, and the items that it defines.

use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, Token, UseTree};

/// A source file in the repository.
pub(crate) struct Source {
    /// Path from the repository's root, with `/`.
    pub(crate) path: String,
    pub(crate) text: String,
    /// Empty if it is not Rust.
    pub(crate) code: Code,
}

/// What Rust source names and defines.
#[derive(Default)]
pub(crate) struct Code {
    pub(crate) names: Vec<Name>,
    /// Items, each by the inline modules that it stands in and its name; those of tests left out.
    pub(crate) items: Vec<Vec<String>>,
    /// Modules in files of their own that are compiled for tests only.
    pub(crate) test_modules: Vec<Vec<String>>,
    module: Vec<String>,
    test: bool,
}

/// A path in code, or the path to one leaf of a `use`.
#[derive(Debug)]
pub(crate) struct Name {
    /// Its words; the first is empty if the path begins with `::`.
    pub(crate) words: Vec<String>,
    pub(crate) line: usize,
    /// Whether it is compiled for tests only.
    pub(crate) test: bool,
    /// The inline modules (`mod x { … }`) that it stands in.
    pub(crate) module: Vec<String>,
    pub(crate) role: Role,
}

/// What a path is there for; imports say by which name.
#[derive(Debug, PartialEq)]
pub(crate) enum Role {
    Import(String),
    Reexport(String),
    Use,
}

impl Source {
    /// # Panics
    /// If a `.rs` file cannot be parsed.
    pub(crate) fn new(path: &str, text: &str) -> Self {
        let mut code = Code::default();
        if path.ends_with(".rs") {
            let file = syn::parse_file(text).unwrap_or_else(|e| panic!("{path}: {e}"));
            code.visit_file(&file);
        }
        let (path, text) = (path.to_owned(), text.to_owned());
        Self { path, text, code }
    }

    /// The module that a file of the library is: `law`, `coulomb` for `src/law/coulomb.rs`.
    pub(crate) fn module(&self) -> Option<Vec<String>> {
        let inside = self.path.strip_prefix("src/")?.strip_suffix(".rs")?;
        let words = inside.split('/').filter(|word| *word != "lib");
        Some(words.map(str::to_owned).collect())
    }
}

impl Code {
    fn name(&mut self, words: Vec<String>, span: Span, role: Role) {
        self.names.push(Name {
            words,
            line: span.start().line,
            test: self.test,
            module: self.module.clone(),
            role,
        });
    }

    /// Visits what the attributes stand before, as test code if they say so.
    fn within(&mut self, attributes: &[Attribute], visit: impl FnOnce(&mut Self)) {
        let before = self.test;
        self.test |= attributes.iter().any(only_for_tests);
        visit(self);
        self.test = before;
    }

    fn use_tree(&mut self, tree: &UseTree, mut words: Vec<String>, reexport: bool) {
        let (leaf, alias) = match tree {
            UseTree::Path(path) => {
                words.push(path.ident.to_string());
                return self.use_tree(&path.tree, words, reexport);
            }
            UseTree::Group(group) => {
                let each = group.items.iter();
                return each.for_each(|tree| self.use_tree(tree, words.clone(), reexport));
            }
            UseTree::Name(name) => (&name.ident, name.ident.to_string()),
            UseTree::Rename(name) => (&name.ident, name.rename.to_string()),
            UseTree::Glob(glob) => {
                words.push("*".to_owned());
                return self.name(words, glob.star_token.spans[0], Role::Import(String::new()));
            }
        };
        let mut alias = alias;
        if leaf == "self" {
            alias = words.last().cloned().unwrap_or(alias);
        } else {
            words.push(leaf.to_string());
        }
        let role = if reexport {
            Role::Reexport
        } else {
            Role::Import
        };
        self.name(words, leaf.span(), role(alias));
    }
}

impl<'a> Visit<'a> for Code {
    fn visit_item(&mut self, item: &'a Item) {
        let (attributes, name): (&[Attribute], _) = match item {
            Item::Const(x) => (&x.attrs, Some(&x.ident)),
            Item::Enum(x) => (&x.attrs, Some(&x.ident)),
            Item::Fn(x) => (&x.attrs, Some(&x.sig.ident)),
            Item::Macro(x) => (&x.attrs, x.ident.as_ref()),
            Item::Static(x) => (&x.attrs, Some(&x.ident)),
            Item::Struct(x) => (&x.attrs, Some(&x.ident)),
            Item::Trait(x) => (&x.attrs, Some(&x.ident)),
            Item::Type(x) => (&x.attrs, Some(&x.ident)),
            Item::Union(x) => (&x.attrs, Some(&x.ident)),
            Item::Impl(x) => (&x.attrs, None),
            Item::Mod(x) => (&x.attrs, None),
            Item::Use(x) => (&x.attrs, None),
            _ => (&[], None),
        };
        self.within(attributes, |code| {
            if let Some(name) = name.filter(|_| !code.test) {
                let name = [name.to_string()];
                code.items.push([&code.module[..], &name].concat());
            }
            visit::visit_item(code, item);
        });
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        self.within(&item.attrs, |code| visit::visit_impl_item_fn(code, item));
    }

    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        self.module.push(item.ident.to_string());
        if item.content.is_some() {
            visit::visit_item_mod(self, item);
        } else if self.test {
            self.test_modules.push(self.module.clone());
        }
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'a syn::ItemUse) {
        let first = item.leading_colon.map(|_| String::new());
        let reexport = !matches!(item.vis, syn::Visibility::Inherited);
        self.use_tree(&item.tree, first.into_iter().collect(), reexport);
    }

    fn visit_item_extern_crate(&mut self, item: &'a syn::ItemExternCrate) {
        let words = vec![String::new(), item.ident.to_string()];
        self.name(words, item.ident.span(), Role::Import(String::new()));
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let first = path.leading_colon.map(|_| String::new());
        let words = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        let line = path.segments.first().map(|segment| segment.ident.span());
        let words = first.into_iter().chain(words).collect();
        self.name(words, line.unwrap_or_else(Span::call_site), Role::Use);
        visit::visit_path(self, path);
    }

    /// Of a macro's arguments those that are expressions, or statements.
    fn visit_macro(&mut self, call: &'a syn::Macro) {
        self.visit_path(&call.path);
        let list = Punctuated::<Expr, Token![,]>::parse_terminated;
        if let Ok(all) = call.parse_body_with(list) {
            all.iter().for_each(|expr| self.visit_expr(expr));
        } else if let Ok(all) = call.parse_body_with(syn::Block::parse_within) {
            all.iter().for_each(|statement| self.visit_stmt(statement));
        }
    }

    // Neither `pub(in …)` nor attributes name what code uses.
    fn visit_visibility(&mut self, _: &'a syn::Visibility) {}
    fn visit_attribute(&mut self, _: &'a Attribute) {}
}

/// Whether an attribute is `cfg(test)` or `cfg(all(test, …))`.
fn only_for_tests(attribute: &Attribute) -> bool {
    let syn::Meta::List(list) = &attribute.meta else {
        return false;
    };
    let inside = list.tokens.to_string().replace(' ', "");
    list.path.is_ident("cfg") && (inside == "test" || inside.starts_with("all(test,"))
}

#[test]
fn paths_of_code_are_seen_and_those_of_tests_are_marked() {
    let source = Source::new(
        "src/a/b.rs",
        "//! one::x\n/* two::x */ fn a() { \"three::x\"; vec![four::x]; let y: five::x = self.six; }\n\
         #[cfg(test)]\nmod tests { use super::{self as b, c::{d, e as f}}; }\nmod g { pub use h::i; }",
    );
    assert_eq!(source.module().expect("a module"), ["a", "b"]);
    let all = &source.code.names;
    let paths: Vec<String> = all.iter().map(|n| n.words.join("::")).collect();
    let seen = [
        "vec",
        "four::x",
        "five::x",
        "self",
        "super",
        "super::c::d",
        "super::c::e",
        "h::i",
    ];
    assert_eq!(paths, seen);
    let tests: Vec<bool> = all.iter().map(|n| n.test).collect();
    assert_eq!(tests, [false, false, false, false, true, true, true, false]);
    assert_eq!(all[6].role, Role::Import("f".to_owned()));
    assert_eq!(all[7].role, Role::Reexport("i".to_owned()));
    assert_eq!(
        (all[7].line, &all[7].module[..]),
        (5, &["g".to_owned()][..])
    );
    assert_eq!(source.code.items, [["a"]]);
}
