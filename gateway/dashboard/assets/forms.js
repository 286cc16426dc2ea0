// @ts-check
// Forms that are on their way say so, and are not sent twice; the server would act once all the same.

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
  if (form.hasAttribute('data-sent')) return event.preventDefault()
  form.setAttribute('data-sent', '')
  for (const button of form.querySelectorAll('button')) button.setAttribute('aria-busy', 'true')
})

// A page that comes back from the browser's memory can be used again.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) {
    form.removeAttribute('data-sent')
    for (const button of form.querySelectorAll('button')) button.removeAttribute('aria-busy')
  }
})

// Forms that find nobody are kept by a service worker, where the browser has them: not without TLS.
navigator.serviceWorker
  ?.register(new URL(`form-keeper.js?language=${document.documentElement.lang}`, import.meta.url), {
    scope: new URL('../../', import.meta.url).pathname,
  })
  .catch(() => undefined)

// The message above a refused form is read first.
document.querySelector('.notice[autofocus]')?.scrollIntoView({ block: 'nearest' })
