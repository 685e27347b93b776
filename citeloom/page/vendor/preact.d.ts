// What the page uses of htm/preact, for `tsc --checkJs`.
export function html(strings: TemplateStringsArray, ...values: any[]): any;
export function render(what: any, into: Element): void;
export function useState<T>(initial: T | (() => T)): [T, (value: T | ((now: T) => T)) => void];
export function useEffect(effect: () => void | (() => void), inputs?: unknown[]): void;
export function useRef<T>(initial: T): { current: T };
export function useErrorBoundary(told?: (error: any) => void): [any, () => void];
export function useMemo<T>(make: () => T, inputs: unknown[]): T;
export function useCallback<T>(callback: T, inputs: unknown[]): T;
