import { Badge } from '@mantine/core';
import { IconCheck, IconClock, IconHelpCircle, IconSend, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { RowState } from '../../src-main/contract/rows.ts';

const looks = {
  pending: { color: 'yellow', icon: IconClock },
  sending: { color: 'ink', icon: IconSend },
  sent: { color: 'teal', icon: IconCheck },
  failed: { color: 'red', icon: IconX },
  in_doubt: { color: 'grape', icon: IconHelpCircle },
} as const;

/** State of a mail: colour, sign and word, so that none is needed alone. */
export function StateBadge({ state, inDoubt }: { state: RowState; inDoubt: boolean }) {
  const { t } = useTranslation();
  const shown = inDoubt ? 'in_doubt' : state;
  const { color, icon: Icon } = looks[shown];
  return (
    <Badge
      className="pr-badge"
      data-state={shown}
      color={color}
      variant="light"
      radius="sm"
      tt="none"
      fw={600}
      leftSection={<Icon size={12} stroke={2.5} aria-hidden />}
    >
      {t(`states.${shown}`)}
    </Badge>
  );
}
