/** Whether a profile says itself that ledger, pace and log stay with the console: tables would then lie unused. */
export function booksArePinned(form: unknown): boolean {
  const layout = (form as { layout?: { books?: unknown } | null } | null)?.layout;
  return layout?.books === 'console';
}
