//! The names of elements, and how HTML parses them.

/// The elements of HTML, with obsolete ones that browsers still support; sorted.
const HTML: &[&str] = &[
    "a",
    "abbr",
    "acronym",
    "address",
    "applet",
    "area",
    "article",
    "aside",
    "audio",
    "b",
    "base",
    "basefont",
    "bdi",
    "bdo",
    "big",
    "blink",
    "blockquote",
    "body",
    "br",
    "button",
    "canvas",
    "caption",
    "center",
    "cite",
    "code",
    "col",
    "colgroup",
    "data",
    "datalist",
    "dd",
    "del",
    "details",
    "dfn",
    "dialog",
    "dir",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "fieldset",
    "figcaption",
    "figure",
    "font",
    "footer",
    "form",
    "frame",
    "frameset",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "header",
    "hgroup",
    "hr",
    "html",
    "i",
    "iframe",
    "img",
    "input",
    "ins",
    "kbd",
    "keygen",
    "label",
    "legend",
    "li",
    "link",
    "main",
    "map",
    "mark",
    "marquee",
    "menu",
    "menuitem",
    "meta",
    "meter",
    "nav",
    "nobr",
    "noembed",
    "noframes",
    "noscript",
    "object",
    "ol",
    "optgroup",
    "option",
    "output",
    "p",
    "param",
    "picture",
    "plaintext",
    "pre",
    "progress",
    "q",
    "rb",
    "rp",
    "rt",
    "rtc",
    "ruby",
    "s",
    "samp",
    "script",
    "search",
    "section",
    "select",
    "small",
    "source",
    "spacer",
    "span",
    "strike",
    "strong",
    "style",
    "sub",
    "summary",
    "sup",
    "table",
    "tbody",
    "td",
    "template",
    "textarea",
    "tfoot",
    "th",
    "thead",
    "time",
    "title",
    "tr",
    "track",
    "tt",
    "u",
    "ul",
    "var",
    "video",
    "wbr",
    "xmp",
];

/// The elements of SVG and MathML whose names HTML does not use; in lower case, sorted.
const FOREIGN: &[&str] = &[
    "animate",
    "animatemotion",
    "animatetransform",
    "circle",
    "clippath",
    "defs",
    "desc",
    "ellipse",
    "feblend",
    "fecolormatrix",
    "fecomponenttransfer",
    "fecomposite",
    "feconvolvematrix",
    "fediffuselighting",
    "fedisplacementmap",
    "fedistantlight",
    "fedropshadow",
    "feflood",
    "fefunca",
    "fefuncb",
    "fefuncg",
    "fefuncr",
    "fegaussianblur",
    "feimage",
    "femerge",
    "femergenode",
    "femorphology",
    "feoffset",
    "fepointlight",
    "fespecularlighting",
    "fespotlight",
    "fetile",
    "feturbulence",
    "filter",
    "foreignobject",
    "g",
    "image",
    "line",
    "lineargradient",
    "marker",
    "mask",
    "math",
    "metadata",
    "mfrac",
    "mi",
    "mn",
    "mo",
    "mover",
    "mpath",
    "mroot",
    "mrow",
    "msqrt",
    "msub",
    "msubsup",
    "msup",
    "mtable",
    "mtd",
    "mtext",
    "mtr",
    "munder",
    "munderover",
    "path",
    "pattern",
    "polygon",
    "polyline",
    "radialgradient",
    "rect",
    "set",
    "stop",
    "svg",
    "switch",
    "symbol",
    "text",
    "textpath",
    "tspan",
    "use",
    "view",
];

/// The element of HTML, SVG or MathML with this name in lower case.
#[must_use]
pub fn element(name: &str) -> Option<&'static str> {
    let find = |names: &[&'static str]| names.binary_search(&name).ok().map(|at| names[at]);
    find(HTML).or_else(|| find(FOREIGN))
}

/// Whether HTML has an element with this name in lower case.
#[must_use]
pub fn is_html(name: &str) -> bool {
    HTML.binary_search(&name).is_ok()
}

/// Whether only SVG or MathML has an element with this name, such as `linearGradient`. A name with a
/// capital first letter, such as `Image`, is that of a component.
#[must_use]
pub fn is_foreign(name: &str) -> bool {
    let has_upper = || name.bytes().any(|byte| byte.is_ascii_uppercase());
    let is_component = name.starts_with(|first: char| first.is_ascii_uppercase());
    !is_component
        && (FOREIGN.binary_search(&name).is_ok()
            || has_upper() && FOREIGN.binary_search(&&*name.to_ascii_lowercase()).is_ok())
}

/// Whether the element has no content and no end tag.
#[must_use]
pub fn is_void(name: &str) -> bool {
    matches!(
        name,
        "area"
            | "base"
            | "basefont"
            | "br"
            | "col"
            | "embed"
            | "frame"
            | "hr"
            | "img"
            | "input"
            | "keygen"
            | "link"
            | "meta"
            | "param"
            | "source"
            | "track"
            | "wbr"
    )
}

/// Whether the content of the element is text only.
pub(crate) fn is_raw(name: &str) -> bool {
    matches!(
        name,
        "iframe" | "noembed" | "noframes" | "script" | "style" | "textarea" | "title" | "xmp"
    )
}

/// Whether the start tag `opened` implies the end tag of `current`, the element that contains it.
pub(crate) fn closes(opened: &str, current: &str) -> bool {
    match current {
        "p" => ends_paragraph(opened),
        "li" => opened == "li",
        "dt" | "dd" => matches!(opened, "dt" | "dd"),
        "option" => matches!(opened, "option" | "optgroup" | "hr"),
        "optgroup" => matches!(opened, "optgroup" | "hr"),
        "tr" => matches!(opened, "tr" | "tbody" | "thead" | "tfoot"),
        "td" | "th" => matches!(opened, "td" | "th" | "tr" | "tbody" | "thead" | "tfoot"),
        "thead" | "tbody" | "tfoot" => matches!(opened, "tbody" | "thead" | "tfoot"),
        "caption" | "colgroup" => {
            matches!(opened, "colgroup" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th")
        }
        "rt" | "rp" => matches!(opened, "rt" | "rp"),
        "head" => opened == "body",
        _ => false,
    }
}

fn ends_paragraph(opened: &str) -> bool {
    matches!(
        opened,
        "address"
            | "article"
            | "aside"
            | "blockquote"
            | "center"
            | "details"
            | "dialog"
            | "dir"
            | "div"
            | "dl"
            | "fieldset"
            | "figcaption"
            | "figure"
            | "footer"
            | "form"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "header"
            | "hgroup"
            | "hr"
            | "li"
            | "dt"
            | "dd"
            | "main"
            | "menu"
            | "nav"
            | "ol"
            | "p"
            | "pre"
            | "search"
            | "section"
            | "summary"
            | "table"
            | "ul"
    )
}

/// Whether the end tag of an inline element never closes an element with this name.
pub(crate) fn is_special(name: &str) -> bool {
    ends_paragraph(name)
        || matches!(
            name,
            "body"
                | "button"
                | "caption"
                | "head"
                | "html"
                | "object"
                | "select"
                | "tbody"
                | "td"
                | "template"
                | "tfoot"
                | "th"
                | "thead"
                | "tr"
        )
}
