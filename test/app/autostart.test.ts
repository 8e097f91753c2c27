import { describe, expect, it } from 'vitest';
import { autostartEntry } from '../../src-main/app/autostart.ts';

describe('an autostart entry', () => {
  it('quotes what starts us as the Desktop Entry Specification wants it', () => {
    const entry = autostartEntry(['/opt/My "Post" $room/100%/postroom', '--hidden']);
    expect(entry).toContain('Exec="/opt/My \\\\"Post\\\\" \\\\$room/100%%/postroom" "--hidden"\n');
    expect(entry.startsWith('[Desktop Entry]\nType=Application\n')).toBe(true);
  });
});
