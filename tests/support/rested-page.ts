/**
 * Resolves once the page has drawn what it had to draw and nothing that ends moves any more. A response goes through
 * timers of no delay and frames before it is drawn: nothing may have changed for longer than those take.
 */
export const restedPage = `(async () => {
  const idle = () => new Promise((done) => requestIdleCallback(done, { timeout: 2000 }));
  const moving = () => document.getAnimations().filter((each) =>
    each.playState === 'running' && Number.isFinite(each.effect?.getComputedTiming().endTime));
  let changed = true;
  const observer = new MutationObserver(() => { changed = true; });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  for (const begun = performance.now(); changed && performance.now() - begun < 5000; ) {
    changed = false;
    await new Promise((done) => setTimeout(done, 50));
    await idle();
    const animations = moving();
    if (animations.length > 0) changed = true;
    await Promise.allSettled(animations.map((each) => each.finished));
  }
  observer.disconnect();
})()`;
