import { Stack, Text, ThemeIcon } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';

interface Props {
  icon: ComponentType<{ size?: number; stroke?: number }>;
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}

/** What a screen shows when there is nothing to show. */
export function Nothing({ icon: Icon, title, children, action }: Props) {
  return (
    <Stack align="center" justify="center" gap={6} p={48} mih={260} ta="center">
      <ThemeIcon size={56} radius="xl" variant="light" color="gray" mb={8} aria-hidden>
        <Icon size={28} stroke={1.5} />
      </ThemeIcon>
      <Text fw={600}>{title}</Text>
      {children && (
        <Text size="sm" c="dimmed" maw={420}>
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
