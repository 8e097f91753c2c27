import { Badge, VisuallyHidden } from '@mantine/core';
import { IconCheck, IconClock, IconHelpCircle, IconSend, IconX } from '@tabler/icons-react';
import type { RowState } from '../../src-main/contract/rows.ts';
import { useShape } from './state-words.ts';

const looks = {
  pending: { color: 'yellow', icon: IconClock },
  sending: { color: 'ink', icon: IconSend },
  sent: { color: 'teal', icon: IconCheck },
  failed: { color: 'red', icon: IconX },
  in_doubt: { color: 'grape', icon: IconHelpCircle },
} as const;

/** State of a mail: colour, sign and word, so that none is needed alone. */
export function StateBadge({ state, inDoubt }: { state: RowState; inDoubt: boolean }) {
  const shape = useShape();
  const shown = inDoubt ? 'in_doubt' : state;
  const { color, icon: Icon } = looks[shown];
  const { word, meaning } = shape.word(shown);
  return (
    <Badge
      className="pr-badge"
      data-state={shown}
      title={meaning ?? undefined}
      color={color}
      variant="light"
      radius="sm"
      tt="none"
      fw={600}
      leftSection={<Icon size={12} stroke={2.5} aria-hidden />}
    >
      {word}
      {meaning && <VisuallyHidden> ({meaning})</VisuallyHidden>}
    </Badge>
  );
}
