import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { ProfileView } from '../../../src-main/contract/channels.ts';
import { type GuideStep, guideSteps } from '../../../src-main/contract/guide.ts';
import type { Caps } from '../../../src-main/contract/host-limits.ts';
import type { GivenSecrets, LookPart } from '../../../src-main/contract/look.ts';
import { asCallError, type CallError, call } from '../../bridge/client.ts';
import type { FieldsProps } from '../../settings/connection/ConnectionForm.tsx';
import { type Draft, emptyDraft, toDraft, toForm } from '../../settings/connection/draft.ts';
import type { HostSaid } from '../../settings/HostLimitsFields.tsx';

/** ms after the last key before what was typed is kept */
const keepAfterMs = 800;

interface State {
  draft: Draft;
  /** what the form came from: fields that the draft does not show are kept */
  base: unknown;
  secrets: GivenSecrets;
  view: ProfileView | null;
}

/** What every step is given. */
export interface Guide extends Pick<FieldsProps, 'draft' | 'change' | 'secret' | 'wire'> {
  step: GuideStep;
  /** index of the furthest step that was reached */
  reached: number;
  /** keeps what was typed, then shows that step */
  go: (step: GuideStep) => Promise<void>;
  /** keeps what was typed, under the step that is on screen or another one; null = nothing was typed yet */
  keep: (step?: GuideStep) => Promise<ProfileView | null>;
  view: ProfileView | null;
  /** whether a secret is there: typed, found or kept */
  has: (name: Parameters<FieldsProps['secret']>[0]) => boolean;
  /** why something could not be kept */
  error: CallError | null;
  /** starts from another form */
  load: (form: unknown) => void;
  /** the form's seeds of the pace */
  seed: (caps: Caps) => void;
  form: unknown;
  /** whether that part was found well as it stands now */
  isGood: (part: LookPart) => boolean;
  setGood: (part: LookPart, draft: Draft) => void;
  /** what was said of the host; null = nothing yet */
  host: HostSaid | null;
  setHost: (said: HostSaid) => void;
  /** whether the test mail was seen by the person */
  arrived: boolean;
  setArrived: (arrived: boolean) => void;
}

/** The guide's memory: what was typed, where it stands, and that nothing of it is lost when the person goes away. */
export function useGuide(start: ProfileView | null, onKept: () => Promise<void>): Guide {
  const [state, setState] = useState<State>(() => ({
    draft: start ? toDraft(start.form) : emptyDraft,
    base: start?.form,
    secrets: {},
    view: start,
  }));
  const latest = useRef(state);
  const update = useCallback((make: (old: State) => State) => {
    latest.current = make(latest.current);
    setState(latest.current);
  }, []);
  const [step, setStep] = useState<GuideStep>(start?.guide ?? 'server');
  const [reached, setReached] = useState(guideSteps.indexOf(step));
  const [error, setError] = useState<CallError | null>(null);
  const [good, setGoodParts] = useState<Partial<Record<LookPart, string>>>({});
  const [host, setHost] = useState<HostSaid | null>(null);
  const [arrived, setArrived] = useState(false);
  /** rises with each change of a secret: what was found well before says nothing any more */
  const [secretTurn, setSecretTurn] = useState(0);
  const formOf = (draft: Draft) => toForm(draft, latest.current.base);

  // one at a time: a new profile must not become two
  const queue = useRef<Promise<unknown>>(Promise.resolve());
  const write = (at: GuideStep, withSecrets: boolean): Promise<ProfileView | null> => {
    const run = queue.current.then(async () => {
      const { draft, view, secrets } = latest.current;
      if (!view && draft === emptyDraft && Object.keys(secrets).length === 0) return null;
      const given = withSecrets ? secrets : {};
      const kept = await call('guide:keep', view?.id ?? null, formOf(draft), given, at);
      // nothing secret stays in the window longer than it must
      update((old) => ({
        ...old,
        view: kept,
        secrets: Object.fromEntries(
          Object.entries(old.secrets).filter(([name, value]) => given[name as keyof GivenSecrets] !== value),
        ),
      }));
      await onKept();
      return kept;
    });
    queue.current = run.catch(() => undefined);
    return run;
  };
  const keep = async (at: GuideStep = step) => {
    setError(null);
    try {
      return await write(at, true);
    } catch (thrown) {
      const caught = asCallError(thrown);
      // one that was found on the server is forgotten by now: without it everything else can be kept
      if (caught.code === 'secret')
        update(({ secrets: { 'database.password': found, ...secrets }, ...old }) => ({
          ...old,
          secrets: typeof found === 'object' ? secrets : { ...secrets, 'database.password': found },
        }));
      setError(caught);
      throw caught;
    }
  };
  const autoKeep = useEffectEvent(() => void write(step, false).catch(() => undefined));
  const typed = state.draft;
  const first = useRef(typed);
  useEffect(() => {
    if (typed === first.current) return;
    const timer = setTimeout(() => autoKeep(), keepAfterMs);
    return () => clearTimeout(timer);
  }, [typed]);

  const keyOf = (draft: Draft) => JSON.stringify([formOf(draft), secretTurn]);
  return {
    draft: state.draft,
    change: (patch) => update((old) => ({ ...old, draft: { ...old.draft, ...patch } })),
    secret: (name) => ({
      stored: state.view?.secrets[name] === 'set',
      change: state.secrets[name],
      onChange: (change) => {
        setSecretTurn((turn) => turn + 1);
        update(({ secrets: { [name]: _old, ...rest }, ...old }) => ({
          ...old,
          secrets: change === undefined ? rest : { ...rest, [name]: change },
        }));
      },
    }),
    wire: (looked) => ({
      profile: latest.current.view?.id ?? null,
      form: formOf(looked),
      secrets: latest.current.secrets,
    }),
    has: (name) => {
      const change = state.secrets[name];
      return change === undefined ? state.view?.secrets[name] === 'set' : change !== null && change !== '';
    },
    step,
    reached,
    go: async (next) => {
      try {
        await keep(next);
      } catch {
        return; // `error` says why
      }
      setStep(next);
      setReached((old) => Math.max(old, guideSteps.indexOf(next)));
    },
    keep,
    view: state.view,
    error,
    load: (form) => update((old) => ({ ...old, draft: toDraft(form), base: form })),
    seed: (caps) =>
      update((old) => {
        const form = toForm(old.draft, old.base);
        const seeds = form['settings'];
        const kept = typeof seeds === 'object' && seeds !== null ? seeds : {};
        return { ...old, draft: { ...old.draft }, base: { ...form, settings: { ...kept, ...caps } } };
      }),
    form: formOf(state.draft),
    isGood: (part) => good[part] === keyOf(state.draft),
    setGood: (part, draft) => setGoodParts((old) => ({ ...old, [part]: keyOf(draft) })),
    host,
    setHost,
    arrived,
    setArrived,
  };
}
