/** Runs in the page: what can be pressed or typed into, and reaches out of the window or of the box that it stands in. */
export function cutOff(): string[] {
  const found: string[] = [];
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth > width) found.push('the page scrolls sideways');
  for (const element of document.querySelectorAll<HTMLElement>(
    'button, input:not([type=hidden]), [role=tab], [role=switch], a[href], h2, h3, p, label, .pr-sheet dd',
  )) {
    const box = element.getBoundingClientRect();
    if (box.width < 2 || box.height < 2 || getComputedStyle(element).opacity === '0') continue;
    if (element.closest('.pr-sideways')) continue; // scrolls by itself
    const name = element.getAttribute('aria-label') ?? element.textContent ?? element.tagName;
    if (box.right > width + 1 || box.left < -1) found.push(`${name}: out of the window`);
    const sheet = element.closest('.pr-sheet')?.getBoundingClientRect();
    if (sheet && (box.right > sheet.right + 1 || box.left < sheet.left - 1))
      found.push(`${name}: out of its sheet`);
  }
  return [...new Set(found)];
}
