// Shows that a form is being sent, and does not send it twice. The server would act only once anyway.

document.addEventListener('submit', (event) => {
  const form = event.target
  if (!(form instanceof HTMLFormElement) || form.method !== 'post') return
  if (form.hasAttribute('data-sent')) return event.preventDefault()
  form.setAttribute('data-sent', '')
  for (const button of form.querySelectorAll('button')) button.setAttribute('aria-busy', 'true')
})

// A page from the browser's back/forward cache must be usable again.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-sent]')) {
    form.removeAttribute('data-sent')
    for (const button of form.querySelectorAll('button')) button.removeAttribute('aria-busy')
  }
})

// A service worker keeps forms that reach no server. Browsers provide service workers only with TLS.
navigator.serviceWorker
  ?.register(new URL(`form-keeper.js?language=${document.documentElement.lang}`, import.meta.url), {
    scope: new URL('../../', import.meta.url).pathname,
  })
  .catch(() => undefined)

// Makes the message above a refused form visible first.
document.querySelector('.notice[autofocus]')?.scrollIntoView({ block: 'nearest' })
