/**
 * `npm run structure`: prints figures about the sources of the packages: files per folder, lengths of files and
 * functions, the graph of imports. `-- --root FOLDER` measures another checkout. Generated files and tests are left
 * out.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { root } from './steps.ts';

const GENERATED = /\/(schema|confusables)\.ts$/;
const TEST = /\.test\.tsx?$|\/testing\/|\/test\//;
const MAX_FILES = 20;

const { values } = parseArgs({ options: { root: { type: 'string', default: root } } });
const packages = resolve(values.root, 'packages');
const files = readdirSync(packages).flatMap((name) => sourcesIn(join(packages, name, 'src')));
const sources = new Map(files.map((file) => [file, parse(file)]));

printFolders();
printLengths('lines of a file', [...sources.values()].map(lineCount));
printLengths('lines of a function', [...sources.values()].flatMap(functionLengths));
printGraph('imports', graph({ withTypes: false }));
printGraph('imports, with types', graph({ withTypes: true }));

function sourcesIn(folder: string): string[] {
  let names: string[];
  try {
    names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  } catch {
    return [];
  }
  return names
    .map((name) => join(folder, name))
    .filter((file) => /\.tsx?$/.test(file) && !TEST.test(file) && !GENERATED.test(file));
}

function parse(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
}

function lineCount(source: ts.SourceFile): number {
  return source.getLineStarts().length - 1;
}

function functionLengths(source: ts.SourceFile): number[] {
  const lengths: number[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined) {
      const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
      // One-line callbacks count as expressions, not as functions.
      const length = lineOf(node.end) - lineOf(node.getStart(source)) + 1;
      if (length > 1) lengths.push(length);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return lengths;
}

function printFolders(): void {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  const full = [...counts].filter(([, count]) => count > MAX_FILES).sort(([, a], [, b]) => b - a);
  console.log(`${files.length} files in ${counts.size} folders, ${full.length} with more than ${MAX_FILES}:`);
  for (const [folder, count] of full) console.log(`  ${count} ${relative(packages, folder)}`);
}

function printLengths(name: string, lengths: number[]): void {
  const sorted = lengths.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  console.log(`${name}: median ${at(0.5)}, p95 ${at(0.95)}, most ${at(1)}, of ${sorted.length}`);
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

function graph({ withTypes }: { withTypes: boolean }): Graph {
  return new Map([...sources].map(([file, source]) => [file, new Set(importsOf(file, source, withTypes))]));
}

function importsOf(file: string, source: ts.SourceFile, withTypes: boolean): string[] {
  return source.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) return [];
    if (!statement.moduleSpecifier || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    if (!withTypes && isTypeOnly(statement)) return [];
    const target = place(file, statement.moduleSpecifier.text);
    return target !== undefined && sources.has(target) ? [target] : [];
  });
}

function isTypeOnly(statement: ts.ImportDeclaration | ts.ExportDeclaration): boolean {
  if (ts.isExportDeclaration(statement)) return statement.isTypeOnly;
  return statement.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword;
}

function place(file: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return resolve(dirname(file), specifier);
  const [, path] = /^@aizuchi\/shared\/(.*)$/.exec(specifier) ?? [];
  return path === undefined ? undefined : join(packages, 'shared', 'src', `${path}.ts`);
}

/** A file is one floor above the highest file that it imports; a circle counts as one file. */
function printGraph(name: string, edges: Graph): void {
  const groups = stronglyConnected(edges);
  const circles = groups.filter((group) => group.length > 1);
  const groupOf = new Map(groups.flatMap((group) => group.map((file) => [file, group] as const)));
  const floors = new Map<readonly string[], number>();
  // Tarjan's algorithm returns a group after those that it imports.
  for (const group of groups) {
    const below = group.flatMap((file) => [...(edges.get(file) ?? [])].map((target) => groupOf.get(target)));
    const highest = Math.max(
      0,
      ...below.flatMap((one) => (one && one !== group ? [floors.get(one) ?? 0] : [])),
    );
    floors.set(group, highest + 1);
  }
  const edgeCount = [...edges.values()].reduce((sum, targets) => sum + targets.size, 0);
  console.log(
    `${name}: ${edgeCount} arrows, ${Math.max(...floors.values())} floors, ${circles.length} circles`,
  );
  for (const circle of circles)
    console.log(`  ${circle.map((file) => relative(packages, file)).join(' ⇄ ')}`);
}

/** Tarjan's algorithm. */
function stronglyConnected(edges: Graph): string[][] {
  const groups: string[][] = [];
  const stack: string[] = [];
  const found = new Map<string, { index: number; low: number; isOpen: boolean }>();
  const visit = (file: string) => {
    const me = { index: found.size, low: found.size, isOpen: true };
    found.set(file, me);
    stack.push(file);
    for (const target of edges.get(file) ?? []) {
      const known = found.get(target);
      if (!known) me.low = Math.min(me.low, visit(target).low);
      else if (known.isOpen) me.low = Math.min(me.low, known.index);
    }
    if (me.low === me.index) {
      const group = stack.splice(stack.indexOf(file));
      for (const one of group) {
        const member = found.get(one);
        if (member) member.isOpen = false;
      }
      groups.push(group);
    }
    return me;
  };
  for (const file of edges.keys()) if (!found.has(file)) visit(file);
  return groups;
}
