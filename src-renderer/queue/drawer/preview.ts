/**
 * A mail's HTML as a page for the sandboxed frame. The frame runs no script, has no origin, and its own policy lets it fetch
 * nothing; this file takes away before that whatever could try, and shows a link as text with its address beside it.
 */

/** What the frame may do by its own policy: show data: images and its own styles. Our page's policy holds there as well. */
const policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'";

/** Elements that go with all that is in them. */
const dropped =
  'script, noscript, template, iframe, frame, frameset, object, embed, applet, portal, meta, base, link, title, svg, math, audio, video, source, track, canvas, input, button, select, textarea, datalist, dialog, map, area';

const kept = new Set(
  'align alt bgcolor border cellpadding cellspacing class color cols colspan dir face height hspace lang role rows rowspan size start style title type valign vspace width'.split(
    ' ',
  ),
);

const dataImage = /^data:image\/(png|jpeg|gif|webp);base64,[a-z0-9+/=\s]+$/i;

export interface Preview {
  /** for `srcdoc` */
  page: string;
  /** images that were left out because they lie elsewhere */
  remote: number;
}

interface Words {
  /** in place of an image that is not shown */
  image: (alt: string) => string;
}

/** @param images data: addresses of embedded images by their Content-ID */
export function previewOf(html: string, images: Readonly<Record<string, string>>, words: Words): Preview {
  // parsed without being shown: nothing runs and nothing is fetched for it
  const parsed = new DOMParser().parseFromString(html, 'text/html');
  for (const element of parsed.querySelectorAll(dropped)) element.remove();
  let remote = 0;
  for (const element of parsed.querySelectorAll('*')) {
    const source = element.tagName === 'IMG' ? (element.getAttribute('src') ?? '') : null;
    const href = element.tagName === 'A' ? (element.getAttribute('href') ?? '').trim() : null;
    for (const { name } of [...element.attributes])
      if (!kept.has(name.toLowerCase())) element.removeAttribute(name);
    const style = element.getAttribute('style');
    if (style && /url|image-set|expression|import/i.test(style))
      element.setAttribute('style', style.replace(/[^;]*(url|image-set|expression|import)[^;]*(;|$)/gi, ''));
    if (source !== null) {
      const shown = imageOf(source, images);
      if (shown) element.setAttribute('src', shown);
      else {
        remote += 1;
        element.replaceWith(mark(parsed, 'pr-image', words.image(element.getAttribute('alt') ?? '')));
      }
    }
    if (href !== null) unlink(parsed, element, href);
  }
  // a form without its fields is a box
  for (const form of parsed.querySelectorAll('form, fieldset')) form.replaceWith(...form.childNodes);
  const styles = [...parsed.querySelectorAll('style')].map((style) => {
    style.remove();
    return (style.textContent ?? '').replace(/@import[^;]*;?/gi, '').replace(/<\/?style/gi, '');
  });
  const page = `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><style>${ownStyle}</style><style>${styles.join('\n')}</style></head><body>${parsed.body.innerHTML}</body></html>`;
  return { page, remote };
}

const ownStyle = `html{color-scheme:light;background:#fff}body{margin:12px;color:#232120;font:14px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
img{max-width:100%;height:auto}.pr-link{text-decoration:underline}.pr-address{color:#6d6860;font-size:12px}
.pr-image{display:inline-block;padding:2px 8px;border:1px dashed #a8a299;border-radius:4px;color:#6d6860;font-size:12px}`;

function imageOf(source: string, images: Readonly<Record<string, string>>): string | null {
  const cid = /^cid:(.+)$/i.exec(source.trim())?.[1];
  if (cid !== undefined) {
    const found = images[cid] ?? images[safeDecode(cid)];
    return found && dataImage.test(found) ? found : null;
  }
  return dataImage.test(source.trim()) ? source.trim() : null;
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A link leads nowhere: its text stays, and its address stands beside it where the text does not say it already. */
function unlink(parsed: Document, link: Element, href: string): void {
  const span = mark(parsed, 'pr-link', '');
  span.append(...link.childNodes);
  link.replaceWith(span);
  const text = (span.textContent ?? '').trim();
  if (href !== '' && !href.startsWith('#') && text !== href)
    span.after(' ', mark(parsed, 'pr-address', `(${href.slice(0, 300)})`));
}

function mark(parsed: Document, name: string, text: string): HTMLElement {
  const span = parsed.createElement('span');
  span.className = name;
  span.textContent = text;
  return span;
}
