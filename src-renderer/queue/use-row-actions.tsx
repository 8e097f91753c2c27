import { List, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import type { ActionResult, QueueRow } from '../../src-main/contract/rows.ts';
import { call } from '../bridge/client.ts';
import { useShop } from '../bridge/shop.tsx';
import { useConfirm } from '../ui/Confirm.tsx';
import { count, span } from '../ui/format.ts';
import { toastDone } from '../ui/toast.ts';
import { canDelete, canRetry } from './why.ts';

/** Actions on named mails, each behind a question that says exactly how many. */
export interface RowActions {
  askRetry: (rows: QueueRow[]) => void;
  askDelete: (rows: QueueRow[]) => void;
  /** whether a question is on screen */
  asking: boolean;
  dialog: ReactNode;
}

/** rows that one call may name (the contract's own bound) */
const mostAtOnce = 10_000;

export function useRowActions(onDone: () => Promise<void>): RowActions {
  const { t } = useTranslation();
  const { profile, status, refresh } = useShop();
  const { ask, asking, dialog } = useConfirm();

  const report = async ({ done, refused }: ActionResult, key: 'retry.done' | 'delete.done') => {
    const words = [t(key, { count: done })];
    const reason = refused[0]?.reason;
    if (reason) words.push(t('actions.refused', { count: refused.length, reason }));
    toastDone(words.join(' '));
    await Promise.all([onDone(), refresh()]);
  };

  const askRetry = (rows: QueueRow[]) => {
    const fit = rows.filter(canRetry).slice(0, mostAtOnce);
    const left = rows.length - fit.length;
    if (fit.length === 0) {
      ask({
        title: t('retry.none'),
        body: t('retry.noneText'),
        confirm: t('common.understood'),
        act: async () => undefined,
      });
      return;
    }
    // what waits already has its place; only what comes back into the queue makes it longer
    const added = fit.filter((row) => row.state === 'failed').length;
    const seconds =
      status && !status.rate.uncapped
        ? (added * (status.rate.learned_interval_ms ?? status.rate.interval_ms)) / 1000
        : 0;
    ask({
      title: t('retry.title', { count: fit.length, number: count(fit.length) }),
      confirm: t('retry.confirm', { count: fit.length, number: count(fit.length) }),
      body: (
        <Stack gap="xs">
          <Text size="sm">{t('retry.text')}</Text>
          {seconds > 0 && status && (
            <Text size="sm">
              {t('retry.time', { span: span(seconds, 'long'), rate: status.rate.set_per_minute })}
            </Text>
          )}
          {left > 0 && <Text size="sm">{t('retry.left', { count: left, number: count(left) })}</Text>}
        </Stack>
      ),
      act: async () =>
        report(await call('queue:retry', profile.id, { ids: fit.map((row) => row.id) }), 'retry.done'),
    });
  };

  const askDelete = (rows: QueueRow[]) => {
    const fit = rows.filter(canDelete).slice(0, mostAtOnce);
    const left = rows.length - fit.length;
    if (fit.length === 0) {
      ask({
        title: t('delete.none'),
        body: t('delete.noneText'),
        confirm: t('common.understood'),
        act: async () => undefined,
      });
      return;
    }
    const waiting = fit.filter((row) => row.state === 'pending').length;
    ask({
      title: t('delete.title', { count: fit.length, number: count(fit.length) }),
      confirm: t('delete.confirm', { count: fit.length, number: count(fit.length) }),
      danger: true,
      body: (
        <Stack gap="xs">
          <Text size="sm">{t('delete.text', { count: fit.length })}</Text>
          <List size="sm">
            {waiting > 0 && (
              <List.Item>{t('delete.waiting', { count: waiting, number: count(waiting) })}</List.Item>
            )}
            {left > 0 && <List.Item>{t('delete.left', { count: left, number: count(left) })}</List.Item>}
          </List>
        </Stack>
      ),
      act: async () =>
        report(await call('queue:delete', profile.id, { ids: fit.map((row) => row.id) }), 'delete.done'),
    });
  };

  return { askRetry, askDelete, asking, dialog };
}
