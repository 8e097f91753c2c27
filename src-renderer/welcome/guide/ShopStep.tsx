import { Button, Fieldset, Stack, Text, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { DatabaseLogin, FilesFields, QueueFields } from '../../settings/connection/DatabaseFields.tsx';
import { FindSites } from '../../settings/connection/FindSites.tsx';
import { TestPart } from '../../settings/connection/TestPart.tsx';
import { StepFrame } from './StepFrame.tsx';
import type { Guide } from './use-guide.ts';
import { useFieldsStep } from './use-step.ts';

/** Which shop on the server it is, and by that its database; or the database by hand. */
export function ShopStep({ guide }: { guide: Guide }) {
  const { t } = useTranslation();
  const { draft, change } = guide;
  const step = useFieldsStep(guide, 'shop', 'database', { to: 'mail' });
  const [byHand, setByHand] = useState(!draft.viaSsh || draft.dbName !== '');
  const [ownQueue, setOwnQueue] = useState(draft.shape !== 'studiou-wcmq');
  const hidden = ['dbHost', 'dbName', 'dbPrefix', 'dbUser'] as const;
  const hiddenQueue = ['layoutTable', 'layoutFailedTable', 'layoutColumns', 'layoutZone'] as const;
  const props = { ...guide, faults: step.faults, tests: { database: step.test } };
  return (
    <StepFrame
      guide={guide}
      fields
      onNext={step.next}
      reason={step.reason}
      busy={step.busy ? t('guide.busy.test') : null}
      onStop={step.test.stop}
      otherwise={step.stuck ? { label: t('guide.allTheSame'), run: () => void guide.go('mail') } : null}
    >
      {draft.viaSsh && (
        <Fieldset legend={t('guide.shop.found')} className="pr-fields">
          <FindSites
            {...guide}
            atOnce={draft.dbName === '' && guide.isGood('ssh')}
            taken={t('guide.shop.taken')}
            onChosen={() => setByHand(false)}
          />
        </Fieldset>
      )}
      <TextInput
        label={t('connection.name')}
        placeholder={t('connection.namePlaceholder')}
        description={t('guide.shop.nameHelp')}
        required
        error={step.faults.name}
        value={draft.name}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <Fold
        label={t('guide.shop.byHand')}
        hint={
          draft.dbName === '' ? null : t('guide.shop.database', { name: draft.dbName, user: draft.dbUser })
        }
        open={byHand || hidden.some((field) => step.faults[field])}
        onOpen={setByHand}
      >
        <Fieldset legend={t('connection.database')} className="pr-fields">
          <DatabaseLogin {...props} />
          <FilesFields {...props} />
        </Fieldset>
      </Fold>
      <Fold
        label={t('guide.shop.ownQueue')}
        hint={null}
        open={ownQueue || hiddenQueue.some((field) => step.faults[field])}
        onOpen={setOwnQueue}
      >
        <Fieldset legend={t('guide.shop.queue')} className="pr-fields">
          <QueueFields {...props} />
        </Fieldset>
      </Fold>
      <TestPart part="database" {...props} />
    </StepFrame>
  );
}

interface FoldProps {
  label: string;
  /** what lies inside, in a few words */
  hint: string | null;
  open: boolean;
  onOpen: (open: boolean) => void;
  children: ReactNode;
}

/** What most people need not see. */
function Fold({ label, hint, open, onOpen, children }: FoldProps) {
  const id = useId();
  const Icon = open ? IconChevronDown : IconChevronRight;
  return (
    <Stack gap="xs">
      <div>
        <Button
          variant="subtle"
          color="gray"
          ml={-10}
          px={10}
          leftSection={<Icon size={16} aria-hidden />}
          aria-expanded={open}
          aria-controls={id}
          onClick={() => onOpen(!open)}
        >
          {label}
        </Button>
        {!open && hint && (
          <Text size="sm" c="dimmed" pl={16}>
            {hint}
          </Text>
        )}
      </div>
      <div id={id} hidden={!open}>
        {open && children}
      </div>
    </Stack>
  );
}
