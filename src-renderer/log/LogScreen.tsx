// biome-ignore-all lint/a11y/noNoninteractiveTabindex: a scrolled region must be reachable by keyboard
import { Anchor, Button, Group, SegmentedControl, Switch, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconListDetails, IconSearch } from '@tabler/icons-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LogLevel, RowId } from '../../src-main/contract/rows.ts';
import { useShop } from '../bridge/shop.tsx';
import { ErrorNote } from '../ui/ErrorNote.tsx';
import { fullWhen, logWhen } from '../ui/format.ts';
import { Nothing } from '../ui/Nothing.tsx';
import './log.css';
import { told } from '../i18n.ts';
import { useLog } from './use-log.ts';
import { useLogActions } from './use-log-actions.tsx';

const levels = ['all', 'error', 'warning', 'info', 'debug'] as const;

/** What Postroom did and saw, newest first. */
export default function LogScreen({ onRow }: { onRow: (row: RowId) => void }) {
  const { t } = useTranslation();
  const { profile } = useShop();
  const [level, setLevel] = useState<LogLevel | 'all'>('all');
  const [search, setSearch] = useState('');
  const [wanted] = useDebouncedValue(search.trim(), 200);
  const [live, setLive] = useState(true);
  const query = { ...(level === 'all' ? {} : { level }), ...(wanted ? { search: wanted } : {}) };
  const log = useLog(profile.id, query, live);
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: log.lines.length,
    getScrollElement: () => scroller.current,
    getItemKey: (index) => String(log.lines[index]?.id ?? index),
    estimateSize: () => 34,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const { older, more } = log;
  useEffect(() => {
    if (more && last >= log.lines.length - 20) void older();
  }, [more, last, log.lines.length, older]);

  const { buttons, notes } = useLogActions({ query, onCleared: log.restart });

  return (
    <section className="pr-sheet pr-log" aria-label={t('nav.log')}>
      <Group className="pr-log-head" justify="space-between" gap="sm">
        <SegmentedControl
          size="xs"
          aria-label={t('log.level')}
          value={level}
          onChange={setLevel}
          data={levels.map((value) => ({ value, label: t(`log.levels.${value}`) }))}
        />
        <Group gap="sm">
          <Switch
            size="sm"
            label={t('log.live')}
            checked={live}
            onChange={(event) => setLive(event.currentTarget.checked)}
          />
          <TextInput
            w={240}
            value={search}
            onChange={(event) => setSearch(event.currentTarget.value)}
            placeholder={t('log.search')}
            aria-label={t('log.search')}
            leftSection={<IconSearch size={16} aria-hidden />}
          />
          {buttons}
        </Group>
      </Group>
      {notes}
      {log.error && <ErrorNote error={log.error} m="md" />}
      {log.lines.length === 0 && !log.error ? (
        log.loaded && (
          <Nothing
            icon={IconListDetails}
            title={t(wanted || level !== 'all' ? 'log.noneMatch' : 'log.empty')}
          >
            {wanted || level !== 'all' ? null : t('log.emptyText')}
          </Nothing>
        )
      ) : (
        <div
          ref={scroller}
          className="pr-log-lines"
          role="log"
          aria-live="off"
          tabIndex={0}
          aria-label={t('log.lines')}
        >
          <div style={{ position: 'relative', height: virtual.getTotalSize() }}>
            {items.map((item) => {
              const line = log.lines[item.index];
              if (!line) return null;
              return (
                <div
                  key={item.key}
                  ref={virtual.measureElement}
                  data-index={item.index}
                  className="pr-log-line"
                  style={{ transform: `translateY(${item.start}px)` }}
                >
                  <time
                    title={fullWhen(line.created_at)}
                    dateTime={new Date(line.created_at * 1000).toISOString()}
                  >
                    {logWhen(line.created_at)}
                  </time>
                  <span className="pr-log-level" data-level={line.level}>
                    {t(`log.line.${line.level}`)}
                  </span>
                  <span className="pr-log-text">{told(line.message)}</span>
                  {line.queue_id !== null && (
                    <Anchor
                      component="button"
                      type="button"
                      size="xs"
                      onClick={() => onRow(line.queue_id as RowId)}
                    >
                      {t('log.showMail', { id: String(line.queue_id) })}
                    </Anchor>
                  )}
                </div>
              );
            })}
          </div>
          {log.more && (
            <Group justify="center" p="sm">
              <Button size="xs" variant="subtle" onClick={() => void log.older()}>
                {t('log.older')}
              </Button>
            </Group>
          )}
        </div>
      )}
      {!live && (
        <Text size="xs" c="dimmed" px="md" py={8} style={{ borderTop: '1px solid var(--pr-line)' }}>
          {t('log.stopped')}
        </Text>
      )}
    </section>
  );
}
