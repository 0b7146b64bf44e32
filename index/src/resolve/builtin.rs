//! Names of methods of built-in types and common libraries, which prove nothing about the receiver.

/// Methods with several words in their names.
pub(super) const METHODS: &[&str] = &[
    "addEventListener", "appendChild", "as_str", "charAt", "charCodeAt", "cloneNode",
    "createElement", "dispatchEvent", "endsWith", "findIndex", "findLast", "flatMap", "forEach",
    "fromEntries", "getAttribute", "getContext", "getDate", "getDay", "getElementById",
    "getElementsByClassName", "getFullYear", "getHours", "getItem", "getMinutes", "getMonth",
    "getSeconds", "getTime", "get_or_create", "hasAttribute", "hasOwnProperty", "includes",
    "indexOf", "insertBefore", "into_iter", "is_empty", "isArray", "isInteger", "isNaN",
    "lastIndexOf", "localeCompare", "matchAll", "order_by", "padEnd", "padStart", "pop_back",
    "preventDefault", "push_back", "push_str", "querySelector", "querySelectorAll", "read_text",
    "reduceRight", "removeAttribute", "removeChild", "removeEventListener", "removeItem",
    "replaceAll", "select_related", "setAttribute", "setDate", "setItem", "setTime", "set_index",
    "startsWith", "stopPropagation", "toFixed", "toISOString", "toJSON", "toLocaleString",
    "toLowerCase", "toString", "toUpperCase", "to_dict", "to_string", "to_owned", "toUTCString",
    "trimEnd", "trimStart", "valueOf", "with_suffix", "write_text",
];
