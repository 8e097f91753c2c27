import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { contentSecurityPolicy, findAsset } from '../../src-main/app/assets.ts';

const root = path.resolve('some', 'renderer');

describe('files of the page', () => {
  it('are found below their folder, with their type', () => {
    expect(findAsset(root, 'app://postroom/')?.file).toBe(path.join(root, 'index.html'));
    expect(findAsset(root, 'app://postroom/assets/index-a1.js?x=1#y')).toEqual({
      file: path.join(root, 'assets', 'index-a1.js'),
      type: 'text/javascript; charset=utf-8',
    });
    expect(findAsset(root, 'app://postroom/a%20b.css')?.file).toBe(path.join(root, 'a b.css'));
  });

  it.each([
    'app://postroom/../main/main.mjs',
    'app://postroom/%2e%2e/main/main.js',
    'app://postroom/..%2fmain%2fmain.js',
    'app://postroom/..%5cmain.js',
    'app://postroom/assets/..%2f..%2fpackage.json',
    'app://postroom/%00.html',
    'app://postroom/%zz.html',
    'app://other/index.html',
    'file:///etc/passwd.html',
    'app://postroom/secret.key',
    'app://postroom/folder',
    'nonsense',
  ])('are never found at %s', (address) => {
    const found = findAsset(root, address);
    // the address parser itself resolves plain dots: what is left must still lie below the folder
    if (found) expect(found.file.startsWith(root + path.sep)).toBe(true);
    else expect(found).toBeNull();
  });

  it('are never found outside', () => {
    expect(findAsset(root, 'app://postroom/..%2f..%2fpackage.json')).toBeNull();
    expect(findAsset(root, 'app://postroom/..%5c..%5cpackage.json')).toBeNull();
  });
});

describe('the policy of the page', () => {
  const rules = new Map(contentSecurityPolicy.split('; ').map((rule) => [rule.split(' ')[0], rule]));

  it('allows scripts of our own alone, never inline ones', () => {
    expect(rules.get('script-src')).toBe("script-src 'self'");
    expect(rules.get('default-src')).toBe("default-src 'none'");
  });

  it('lets nothing out and nothing in', () => {
    expect(rules.get('connect-src')).toBe("connect-src 'self'");
    expect(rules.get('form-action')).toBe("form-action 'none'");
    expect(rules.get('frame-ancestors')).toBe("frame-ancestors 'none'");
    expect(rules.get('base-uri')).toBe("base-uri 'none'");
    expect(contentSecurityPolicy).not.toMatch(/https?:|\*|unsafe-eval/);
  });
});
