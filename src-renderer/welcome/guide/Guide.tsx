import { Alert, Button, Center, Loader, Text } from '@mantine/core';
import { IconClock, IconFileImport, IconForms } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { AppInfo, ProfileSummary, ProfileView } from '../../../src-main/contract/channels.ts';
import { call } from '../../bridge/client.ts';
import { useAction, useFetched } from '../../bridge/hooks.ts';
import { ShopProvider } from '../../bridge/shop.tsx';
import { told } from '../../i18n.ts';
import { ErrorNote } from '../../ui/ErrorNote.tsx';
import { Mark } from '../../ui/Mark.tsx';
import { AllInOne } from '../AllInOne.tsx';
import { CheckStep } from './CheckStep.tsx';
import { EnableStep } from './EnableStep.tsx';
import './guide.css';
import { MailStep } from './MailStep.tsx';
import { PaceStep } from './PaceStep.tsx';
import { ServerStep } from './ServerStep.tsx';
import { ShopStep } from './ShopStep.tsx';
import { StepList } from './StepList.tsx';
import { TablesStep } from './TablesStep.tsx';
import { TestStep } from './TestStep.tsx';
import { useGuide } from './use-guide.ts';

interface Props {
  /** an unfinished profile to go on with; null = a new one */
  profile: string | null;
  profiles: ProfileSummary[];
  info: AppInfo;
  /** something was kept: the list of profiles is another one */
  onKept: () => Promise<void>;
  /** the shop is set up */
  onDone: (profile: { id: string }) => Promise<void>;
  /** for now; it can be gone on with */
  onLeave: () => void;
}

/** The guided way from nothing to a shop that drains. */
export default function Guide(props: Props) {
  const { profile } = props;
  // once: what is kept later comes from the guide itself
  const { value, error } = useFetched(
    async () => ({ view: profile === null ? null : await call('profiles:get', profile) }),
    profile ?? '',
  );
  if (error) return <ErrorNote error={error} />;
  if (!value)
    return (
      <Center h="100%">
        <Loader type="dots" />
      </Center>
    );
  return <Steps {...props} start={value.view} />;
}

function Steps({ start, profiles, info, onKept, onDone, onLeave }: Props & { start: ProfileView | null }) {
  const { t } = useTranslation();
  const guide = useGuide(start, onKept);
  const { step, view } = guide;
  const [form, setForm] = useState(false);
  const [file, setFile] = useState<string | null>(null);
  const summary = profiles.find((one) => one.id === view?.id);
  const open = useAction(async () => {
    const found = await call('profiles:import');
    if (!found) return;
    guide.load(found.form);
    setFile(found.file);
    if (step !== 'server') await guide.go('server');
  });
  const allInOne = useAction(async () => {
    await guide.keep();
    setForm(true);
  });
  const leave = async () => {
    try {
      await guide.keep();
      onLeave();
    } catch {
      // the step says why; pressed once more it leaves without what cannot be kept
    }
  };
  if (form)
    return (
      <AllInOne
        view={view}
        form={guide.form}
        info={info}
        onBack={() => setForm(false)}
        onSaved={(saved) => onDone(saved)}
      />
    );
  const asked = view?.asks ?? [];
  const body = {
    server: () => <ServerStep guide={guide} />,
    shop: () => <ShopStep guide={guide} />,
    mail: () => <MailStep guide={guide} />,
    check: () => <CheckStep guide={guide} />,
    pace: () => <PaceStep guide={guide} />,
    tables: () => <TablesStep guide={guide} />,
    test: () => <TestStep guide={guide} />,
    enable: () => <EnableStep guide={guide} onDone={onDone} />,
  }[step];
  const connected = step === 'pace' || step === 'tables' || step === 'test' || step === 'enable';
  return (
    <main className="pr-guide">
      <div className="pr-guide-head">
        <Mark size={24} />
        <Text fw={650} className="pr-guide-name">
          {t('guide.title.all')}
        </Text>
        <div className="pr-guide-ways">
          <Button
            size="xs"
            variant="subtle"
            leftSection={<IconFileImport size={15} aria-hidden />}
            onClick={() => void open.run()}
          >
            {t('connection.import')}
          </Button>
          <Button
            size="xs"
            variant="subtle"
            leftSection={<IconForms size={15} aria-hidden />}
            onClick={() => void allInOne.run()}
          >
            {t('guide.allInOne')}
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconClock size={15} aria-hidden />}
            onClick={() => void leave()}
          >
            {t('guide.leave')}
          </Button>
        </div>
      </div>
      <div className="pr-guide-main">
        <StepList guide={guide} />
        <section className="pr-guide-step" key={step} aria-label={t(`guide.title.${step}`)}>
          <div className="pr-guide-notes">
            {!info.vault.ok && (
              <Alert color="yellow" variant="light">
                {told(info.vault.reason)}
              </Alert>
            )}
            {asked.length > 0 && !connected && (
              <Alert color="yellow" variant="light">
                {t('guide.asks', { names: asked.map((name) => t(`secret.names.${name}`)).join(', ') })}
              </Alert>
            )}
            {open.error && <ErrorNote error={open.error} />}
            {file && <Alert variant="light">{t('connection.imported', { file })}</Alert>}
          </div>
          {!connected && body()}
          {connected && summary && <ShopProvider profile={summary}>{body()}</ShopProvider>}
          {connected && !summary && (
            <Center p="xl">
              <Loader type="dots" />
            </Center>
          )}
        </section>
      </div>
    </main>
  );
}
