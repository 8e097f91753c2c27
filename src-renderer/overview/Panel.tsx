import { Group, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  title: string;
  /** one line on what is shown */
  note?: string | undefined;
  /** stands at the right of the title */
  control?: ReactNode;
  children: ReactNode;
}

/** One figure of the overview on its sheet. */
export function Panel({ title, note, control, children }: Props) {
  return (
    <section className="pr-sheet pr-panel" aria-label={title}>
      <Group justify="space-between" align="flex-start" wrap="nowrap" mb="sm">
        <div>
          <Title order={2} size="h5">
            {title}
          </Title>
          {note && (
            <Text size="sm" c="dimmed">
              {note}
            </Text>
          )}
        </div>
        {control}
      </Group>
      {children}
    </section>
  );
}
