// Draws assets/*.png from the SVG sources; run it after a change of a drawing and commit what it makes.
//   node scripts/draw-icons.mjs        needs rsvg-convert (Debian: librsvg2-bin)
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { inRoot } from './lib/paths.mjs';
import { PlainError, run, say } from './lib/say.mjs';

/** A letter that is seen on light and on dark panels: white paper, dark line, and a pale rim around both. */
const letter = `
  <rect x="1" y="4" width="30" height="23" rx="3.5" fill="#ffffff" fill-opacity="0.75"/>
  <rect x="2.5" y="5.5" width="27" height="20" rx="2.5" fill="#ffffff" stroke="#16404f" stroke-width="2.6"/>
  <path d="M4 7.5 L16 17.5 L28 7.5" fill="none" stroke="#16404f" stroke-width="2.6" stroke-linejoin="round"/>`;

/** The badge of each state differs in colour and in shape: some people see only one of the two. */
const badges = {
  idle: '',
  draining: disc('#1b873f', '<path d="M19.6 17.6 L27.6 22.5 L19.6 27.4 Z" fill="#ffffff"/>'),
  paused: disc(
    '#d98200',
    '<rect x="18.9" y="17.8" width="3" height="9.4" fill="#ffffff"/><rect x="24" y="17.8" width="3" height="9.4" fill="#ffffff"/>',
  ),
  failing: disc(
    '#d32030',
    '<rect x="21.2" y="16.4" width="3.6" height="7.2" rx="1" fill="#ffffff"/><circle cx="23" cy="26.6" r="2" fill="#ffffff"/>',
  ),
};

function disc(color, sign) {
  return `<circle cx="23" cy="22.5" r="9.5" fill="#ffffff"/><circle cx="23" cy="22.5" r="8.3" fill="${color}"/>${sign}`;
}

/** Electron takes @1.5x and @2x by itself; Linux panels are 22 pixels high and scale badly. */
const traySizes = { '': 16, '@1.5x': 24, '@2x': 32, '-linux': 22 };

await run(() => {
  for (const size of [16, 24, 32, 48, 64, 128, 256, 512])
    draw(
      fs.readFileSync(inRoot('assets', size <= 32 ? 'icon-small.svg' : 'icon.svg')),
      size,
      `icons/${size}x${size}.png`,
    );
  draw(fs.readFileSync(inRoot('assets', 'icon.svg')), 256, 'icon.png');
  for (const [state, badge] of Object.entries(badges)) {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${letter}${badge}</svg>`;
    for (const [suffix, size] of Object.entries(traySizes)) draw(svg, size, `tray-${state}${suffix}.png`);
  }
  say('drawn: look at them before you commit them');
});

function draw(svg, size, name) {
  fs.mkdirSync(inRoot('assets', 'icons'), { recursive: true });
  const file = inRoot('assets', name);
  try {
    execFileSync('rsvg-convert', ['--width', String(size), '--height', String(size), '--output', file], {
      input: svg,
    });
  } catch (error) {
    if (error.code === 'ENOENT')
      throw new PlainError('rsvg-convert is not installed (Debian: apt-get install librsvg2-bin)');
    throw error;
  }
}
