// Client side state helpers: reducers, selectors, formatting, persistence.

export interface Todo {
  id: string;
  title: string;
  done: boolean;
  rank: number;
}

export interface UiState {
  todos: Todo[];
  filter: 'all' | 'open' | 'done';
  selected: string[];
  draft: { title: string; errors: string[] };
}

export type Action =
  | { type: 'toggle'; id: string }
  | { type: 'add'; title: string; id: string }
  | { type: 'filter'; filter: UiState['filter'] };

export type Listener = (state: UiState) => void;
export type Selector<T> = (state: UiState) => T;

const MAX_TITLE = 80;
const PLURALS = new Intl.PluralRules('en-US');
const listeners = new Set<Listener>();
let snapshot: UiState | undefined;
let renderCount = 0;

export function initialState(): UiState {
  return { todos: [], filter: 'all', selected: [], draft: { title: '', errors: [] } };
}

export function toggleTodo(todos: readonly Todo[], id: string): Todo[] {
  return todos.map((todo) => (todo.id === id ? { ...todo, done: !todo.done } : todo));
}

export function flipTodo(todos: readonly Todo[], id: string): readonly Todo[] {
  const todo = todos.find((candidate) => candidate.id === id);
  if (todo) todo.done = !todo.done;
  return todos;
}

export function reduce(state: UiState, action: Action): UiState {
  switch (action.type) {
    case 'toggle':
      return { ...state, todos: toggleTodo(state.todos, action.id) };
    case 'add': {
      const todo = { id: action.id, title: action.title, done: false, rank: state.todos.length };
      return { ...state, todos: [...state.todos, todo] };
    }
    case 'filter':
      return { ...state, filter: action.filter };
  }
}

export function reduceAll(state: UiState, actions: readonly Action[]): UiState {
  return actions.reduce(reduce, state);
}

export function dispatch(action: Action): void {
  snapshot = reduce(snapshot ?? initialState(), action);
  for (const listener of listeners) listener(snapshot);
}

export function subscribe(listener: Listener): number {
  listeners.add(listener);
  return listeners.size;
}

export function currentFilter(): string {
  return snapshot?.filter ?? 'all';
}

export function visibleTodos(state: UiState): Todo[] {
  if (state.filter === 'all') return state.todos;
  return state.todos.filter((todo) => todo.done === (state.filter === 'done'));
}

export function rankedTodos(state: UiState): Todo[] {
  const visible = visibleTodos(state);
  return visible.sort((a, b) => a.rank - b.rank);
}

export function rankedCopy(state: UiState): Todo[] {
  return visibleTodos(state).toSorted((a, b) => a.rank - b.rank);
}

export function select<T>(state: UiState, selector: Selector<T>): T {
  return selector(state);
}

export function selectMany<T>(states: UiState[], selector: Selector<T>): T[] {
  return states.map((state) => select(state, selector));
}

export function pickTitle(todo: Todo): string {
  return todo.title;
}

export function titles(state: UiState): string[] {
  return selectMany([state], (s) => s.todos.map(pickTitle)).flat();
}

export function validateDraft(draft: UiState['draft']): boolean {
  draft.errors.length = 0;
  if (draft.title.trim() === '') draft.errors.push('title is required');
  if (draft.title.length > MAX_TITLE) draft.errors.push('title is too long');
  return draft.errors.length === 0;
}

export function draftErrors(title: string): string[] {
  const errors: string[] = [];
  if (title.trim() === '') errors.push('title is required');
  if (title.length > MAX_TITLE) errors.push('title is too long');
  return errors;
}

export function submitEnabled(state: UiState): boolean {
  return validateDraft(state.draft) && state.selected.length === 0;
}

export function freshId(): string {
  return `t${crypto.randomUUID().slice(0, 8)}`;
}

export function addAction(title: string): Action {
  return { type: 'add', title: clip(title), id: freshId() };
}

export function clip(text: string, max = MAX_TITLE): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

export function countLabel(n: number): string {
  return PLURALS.select(n) === 'one' ? `${n} item` : `${n} items`;
}

export function classNames(...parts: (string | false | null | undefined)[]): string {
  return parts.filter(Boolean).join(' ');
}

export function rowProps(todo: Todo, state: UiState): { key: string; className: string } {
  const selected = state.selected.includes(todo.id);
  return { key: todo.id, className: classNames('row', todo.done && 'done', selected && 'on') };
}

export function trackedRow(todo: Todo, state: UiState): { key: string; className: string } {
  renderCount += 1;
  return rowProps(todo, state);
}

export function renderList(state: UiState): string {
  return visibleTodos(state)
    .map((todo) => trackedRow(todo, state))
    .map(({ key, className }) => `<li id="${key}" class="${className}"></li>`)
    .join('');
}

export function persist(state: UiState): void {
  localStorage.setItem('ui-state', JSON.stringify(state));
}

export function restore(): UiState {
  const text = localStorage.getItem('ui-state');
  return text === null ? initialState() : hydrate(text);
}

export function hydrate(text: string): UiState {
  try {
    return { ...initialState(), ...JSON.parse(text) };
  } catch {
    return initialState();
  }
}

export async function syncTodos(base: string, todos: readonly Todo[]): Promise<number> {
  const response = await fetch(`${base}/todos`, { method: 'PUT', body: JSON.stringify(todos) });
  return response.status;
}

export function relativeTime(thenMs: number, nowMs: number): string {
  const minutes = Math.round((nowMs - thenMs) / 60_000);
  if (minutes < 1) return 'just now';
  return minutes < 60 ? `${minutes} min ago` : `${Math.round(minutes / 60)} h ago`;
}

export const ago = (thenMs: number): string => relativeTime(thenMs, Date.now());

export const debugLabel = (todo: Todo): string => {
  const label = `${todo.id}:${todo.title}`;
  if (process.env.NODE_ENV !== 'production') console.debug(label);
  return label;
};

export const compose =
  <A, B, C>(f: (a: A) => B, g: (b: B) => C, a: A): C =>
    g(f(a));

export const groupBy = <T>(rows: readonly T[], key: keyof T): Map<unknown, T[]> => {
  const groups = new Map<unknown, T[]>();
  for (const row of rows) {
    const bucket = groups.get(row[key]);
    if (bucket) bucket.push(row);
    else groups.set(row[key], [row]);
  }
  return groups;
};
