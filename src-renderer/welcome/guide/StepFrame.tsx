import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconArrowLeft, IconArrowRight } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { guideSteps } from '../../../src-main/contract/guide.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import type { Guide } from './use-guide.ts';

interface Props {
  guide: Guide;
  children: ReactNode;
  /** label of the button that goes on; the usual one when left out */
  next?: string;
  onNext: () => void;
  /** it is filled in: Enter in a field goes on */
  fields?: boolean;
  /** what it is at; then it cannot be pressed once more */
  busy?: string | null;
  onStop?: (() => void) | undefined;
  /** why it does not go on */
  reason?: ReactNode;
  /** another way on */
  otherwise?: { label: string; run: () => void } | null;
}

/** One step: its heading, which has the focus when it comes, what it asks, and the way on with the reason beside it. */
export function StepFrame({ guide, children, fields, next, onNext, busy, onStop, reason, otherwise }: Props) {
  const { t } = useTranslation();
  const { step, go } = guide;
  const at = guideSteps.indexOf(step);
  const before = guideSteps[at - 1];
  const heading = useRef<HTMLHeadingElement>(null);
  const content = useRef<HTMLDivElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    content.current?.scrollIntoView({ block: 'start' });
  }, []);
  // a screen reader is told of a fault by the reason below; the keyboard is put where it can be mended
  useEffect(() => {
    if (!reason) return;
    const wrong = content.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
    if (wrong) wrong.focus();
    else
      content.current
        ?.querySelector('[data-asks], [data-color="red"], [role="alert"]')
        ?.scrollIntoView({ block: 'center' });
  }, [reason]);
  const goOn = () => {
    if (!busy) onNext();
  };
  // some steps hold a form of their own, and forms do not nest
  const form = {
    noValidate: true,
    onSubmit: (event: FormEvent) => {
      event.preventDefault();
      goOn();
    },
  };
  const Root = fields ? 'form' : 'div';
  return (
    <Root className="pr-guide-form" {...(fields ? form : {})}>
      <div className="pr-guide-body pr-scroll">
        <Stack gap="md" ref={content} className="pr-guide-content">
          <div>
            <Text size="sm" c="dimmed">
              {t('guide.place', { n: at + 1, of: guideSteps.length })}
            </Text>
            <Title order={1} size="h2" ref={heading} tabIndex={-1} className="pr-guide-heading">
              {t(`guide.title.${step}`)}
            </Title>
          </div>
          <Text c="dimmed">{t(`guide.intro.${step}`)}</Text>
          {children}
          {guide.error && <ErrorNote error={guide.error} />}
        </Stack>
      </div>
      <div className="pr-guide-foot">
        {before && (
          <Button
            variant="default"
            leftSection={<IconArrowLeft size={16} aria-hidden />}
            onClick={() => void go(before)}
          >
            {t('common.back')}
          </Button>
        )}
        <div role="status" className="pr-guide-reason">
          {(busy || reason) && (
            <Text size="sm" component="div">
              {busy || reason}
            </Text>
          )}
        </div>
        <Group gap="xs" className="pr-guide-on">
          {busy && onStop && (
            <Button variant="subtle" onClick={onStop}>
              {t('look.stop')}
            </Button>
          )}
          {!busy && otherwise && (
            <Button variant="subtle" onClick={otherwise.run}>
              {otherwise.label}
            </Button>
          )}
          {/* not `disabled`, which would take the keyboard's place away; what it is at stands beside it */}
          <Button
            {...(fields ? { type: 'submit' as const } : { onClick: goOn })}
            aria-disabled={Boolean(busy)}
            {...(busy ? { 'data-disabled': true } : {})}
            rightSection={<IconArrowRight size={16} aria-hidden />}
          >
            {next ?? t('guide.next')}
          </Button>
        </Group>
      </div>
    </Root>
  );
}
