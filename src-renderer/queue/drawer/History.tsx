import { Text, ThemeIcon, Timeline } from '@mantine/core';
import { IconCheck, IconClock, IconHelpCircle, IconPlugConnectedX, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { Attempt } from '../../../src-main/contract/rows.ts';
import { Copy } from '../../ui/Copy.tsx';
import { fullWhen, span } from '../../ui/format.ts';

const looks = {
  sent: { icon: IconCheck, color: 'teal' },
  deferred: { icon: IconClock, color: 'yellow' },
  rejected: { icon: IconX, color: 'red' },
  'in-doubt': { icon: IconHelpCircle, color: 'grape' },
  none: { icon: IconPlugConnectedX, color: 'gray' },
} as const;

/** Each try to hand the mail over, newest first, with the mail server's own words. */
export function History({ attempts }: { attempts: Attempt[] }) {
  const { t } = useTranslation();
  if (attempts.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('history.none')}
      </Text>
    );
  }
  return (
    <Timeline bulletSize={24} lineWidth={2} active={-1}>
      {attempts.map((attempt) => {
        const look = attempt.outcome ? looks[attempt.outcome] : { icon: IconClock, color: 'ink' };
        const Icon = look.icon;
        const took = ((attempt.finished_ms ?? attempt.started_ms) - attempt.started_ms) / 1000;
        const code = [attempt.smtp_code, attempt.enhanced_code].filter(Boolean).join(' ');
        return (
          <Timeline.Item
            key={attempt.id}
            color={look.color}
            bullet={
              <ThemeIcon size={24} radius="xl" variant="light" color={look.color} aria-hidden>
                <Icon size={14} />
              </ThemeIcon>
            }
            title={t(attempt.outcome ? `history.outcome.${attempt.outcome}` : 'history.running')}
          >
            <Text size="xs" c="dimmed">
              {fullWhen(attempt.started_ms / 1000)}
              {took >= 1 && ` · ${t('history.took', { span: span(took) })}`}
            </Text>
            {(attempt.response || code) && (
              <Text component="div" size="sm" mt={4} style={{ overflowWrap: 'anywhere' }}>
                <span className="pr-second">{t('history.said')}</span> <q>{attempt.response ?? code}</q>
              </Text>
            )}
            {attempt.body_ms !== null && attempt.outcome !== 'sent' && (
              <Text size="xs" c="dimmed">
                {t('history.handedOver', { time: fullWhen(attempt.body_ms / 1000) })}
              </Text>
            )}
            {attempt.server_id && (
              <Text component="div" size="xs" c="dimmed">
                {t('history.serverId')} <code>{attempt.server_id}</code>{' '}
                <Copy text={attempt.server_id} what={t('history.serverId')} />
              </Text>
            )}
          </Timeline.Item>
        );
      })}
    </Timeline>
  );
}
