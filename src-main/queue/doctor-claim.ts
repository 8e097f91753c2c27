/** The doctor's look at the claim over our own table: whether the server makes it by the key that was laid for it. */
import type { Finding } from '../shop/doctor-steps.ts';
import { explainClaim } from './candidates.ts';
import type { Place } from './place.ts';

export async function lookAtClaimKey(place: Place): Promise<Finding> {
  const { key, sorts } = await explainClaim(place);
  if (key !== null && key === place.claimKey && !sorts)
    return { color: 'green', found: `The claim goes by ${key}, without sorting.` };
  return {
    color: 'amber',
    found: `The claim goes by ${key ?? 'no key'}${sorts ? ' and sorts what waits' : ''}: 2 ms by its own key become seconds at tens of thousands of waiting rows.`,
    advice:
      'Install the tables again ("Install the tables" in Settings, or postroom schema --apply): that adds the key (state, priority, scheduled_at, id). If it is there, ask the host to run ANALYZE TABLE.',
  };
}
