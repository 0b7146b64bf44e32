// Prints the definitions and call sites of TypeScript and JavaScript files, a JSON object for each file.
//
//     node typescript.mjs PATH_OF_TYPESCRIPT_JS ROOT < paths
//
// Definitions: [name, kind, first line, line of the name, column of the name, last line, soft].
// Sites: [name, line, column, index of the caller or -1, optional]. See `reference.py` for the meaning.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";

const [compiler, root] = process.argv.slice(2);
if (!compiler || !root) {
  console.error("usage: node typescript.mjs PATH_OF_TYPESCRIPT_JS ROOT < paths");
  process.exit(2);
}
const ts = createRequire(import.meta.url)(resolve(compiler));
const K = ts.SyntaxKind;

// The function behind parentheses and casts.
function isFunction(node) {
  while (node && (ts.isParenthesizedExpression(node) || ts.isAsExpression(node) || ts.isSatisfiesExpression?.(node))) {
    node = node.expression;
  }
  return node && (ts.isArrowFunction(node) || ts.isFunctionExpression(node) || ts.isClassExpression(node)) ? node : null;
}

// Whether an argument of a call is a function, as in `memo(() => …)`: tools name it after the variable.
function isWrapped(node, depth = 0) {
  return depth < 3 && node && ts.isCallExpression(node) && node.arguments.some((at) => isFunction(at) || isWrapped(at, depth + 1));
}

// [name node, kind, soft] if the node is a definition.
function definition(node) {
  switch (node.kind) {
    case K.FunctionDeclaration:
      return node.name && [node.name, "function", !node.body];
    case K.ClassDeclaration:
      return node.name && [node.name, "class", false];
    case K.InterfaceDeclaration:
      return [node.name, "interface", false];
    case K.EnumDeclaration:
      return [node.name, "enum", false];
    case K.TypeAliasDeclaration:
      return [node.name, "type", false];
    case K.MethodDeclaration:
      return [node.name, "method", !node.body || ts.isObjectLiteralExpression(node.parent)];
    case K.Constructor:
      return [node.getChildren().find((child) => child.kind === K.ConstructorKeyword) ?? node, "constructor", !node.body];
    case K.ModuleDeclaration:
      return ts.isIdentifier(node.name) && [node.name, "type", true];
    case K.GetAccessor:
    case K.SetAccessor:
      return [node.name, "method", ts.isObjectLiteralExpression(node.parent)];
    case K.MethodSignature:
      return [node.name, "method", true];
    case K.VariableDeclaration: {
      const value = isFunction(node.initializer);
      if (!value && ts.isIdentifier(node.name) && isWrapped(node.initializer)) return [node.name, "function", true];
      return value && ts.isIdentifier(node.name) && [node.name, ts.isClassExpression(value) ? "class" : "function", false];
    }
    case K.PropertyDeclaration:
      return isFunction(node.initializer) && [node.name, "method", false];
    case K.PropertyAssignment:
      return isFunction(node.initializer) && [node.name, "function", true];
  }
  return null;
}

// The identifier that names the callee.
function callee(expression) {
  for (;;) {
    if (ts.isParenthesizedExpression(expression) || ts.isNonNullExpression(expression)) expression = expression.expression;
    else if (ts.isPropertyAccessExpression(expression)) return expression.name;
    else return ts.isIdentifier(expression) ? expression : null;
  }
}

for (const file of readFileSync(0, "utf8").split("\n").filter(Boolean)) {
  const text = readFileSync(join(root, file), "utf8");
  const kind = /\.[cm]?js$/.test(file) ? ts.ScriptKind.JSX : undefined;
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const place = (at) => source.getLineAndCharacterOfPosition(at);
  const definitions = [];
  const sites = [];
  const call = (name, caller, optional) => {
    const { line, character } = place(name.getStart());
    sites.push([name.text, line + 1, character, caller, optional]);
  };
  // An explicit stack: deep nesting must not end the run.
  const stack = [[source, -1]];
  while (stack.length) {
    const [node, outer] = stack.pop();
    let caller = outer;
    const found = definition(node);
    if (found) {
      const [named, kind, soft] = found;
      const at = place(named.getStart());
      let name = kind === "constructor" ? kind : named.getText();
      if (ts.isStringLiteral(named)) name = named.text;
      const last = place(node.end).line + 1;
      definitions.push([name, kind, place(node.getStart()).line + 1, at.line + 1, at.character, last, soft]);
      if (!soft && !["interface", "enum", "type"].includes(kind)) caller = definitions.length - 1;
    }
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const name = callee(node.expression);
      if (name) call(name, caller, false);
    } else if (ts.isTaggedTemplateExpression(node)) {
      const name = callee(node.tag);
      if (name) call(name, caller, true);
    } else if (ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node)) {
      const name = callee(node.tagName);
      if (name) call(name, caller, true);
    } else if (ts.isDecorator(node)) {
      const name = callee(node.expression);
      if (name) call(name, caller, true);
    }
    // `super(…)` calls the class that `extends` names.
    if (ts.isHeritageClause(node) && node.token === K.ExtendsKeyword && ts.isClassLike(node.parent)) {
      const name = node.types[0] && callee(node.types[0].expression);
      const constructor = node.parent.members.findIndex((member) => member.kind === K.Constructor);
      if (name && constructor >= 0) call(name, caller, true);
    }
    const children = [];
    ts.forEachChild(node, (child) => void children.push(child));
    for (const child of children.reverse()) stack.push([child, caller]);
  }
  process.stdout.write(JSON.stringify({ file, definitions, sites }) + "\n");
}
