/** The sign of Postroom: an envelope in a doorway. */
export function Mark({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true">
      <rect width="32" height="32" rx="8" fill="var(--mantine-color-ink-7)" />
      <rect x="6.5" y="9.5" width="19" height="13.5" rx="2.5" fill="none" stroke="#fff" strokeWidth="2" />
      <path
        d="M7.5 11.5 16 17.5l8.5-6"
        fill="none"
        stroke="#fff"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
