// Turns on notifications in this browser. Asks for permission only when the person presses the button, which pages show
// only to people who have chosen notifications. Ends notifications in a browser in which nobody is signed in.
import { t } from './shared/translate.ts'

const box = document.querySelector<HTMLElement>('[data-push-key]')
const form = box?.querySelector('form')
const isSupported = 'PushManager' in window && 'Notification' in window && 'serviceWorker' in navigator
const isSigningIn = document.body.matches('.my.alone') && location.pathname.endsWith('/sign-in')

if (isSupported && isSigningIn) unsubscribe().catch(() => undefined)
if (isSupported && box && form && box.dataset['pushOn'] === undefined) {
  box.hidden = false
  form.addEventListener('submit', onSubmit)
}

async function onSubmit(event: SubmitEvent) {
  if (!box || !form || field('endpoint').value) return
  event.preventDefault()
  event.stopPropagation()
  const status = box.querySelector('[role=status]')
  const problem = await subscribe(box.dataset['pushKey'] ?? '').catch(
    () => t`This browser could not turn on notifications. Try again later.`,
  )
  if (problem === undefined) form.requestSubmit()
  else if (status) status.textContent = problem
}

const field = (name: string) => form?.elements.namedItem(name) as HTMLInputElement

/** Fills the form with the browser's subscription. If that is impossible, returns the reason. */
async function subscribe(applicationServerKey: string): Promise<string | undefined> {
  if ((await Notification.requestPermission()) !== 'granted')
    return t`This browser blocks notifications of this site. Allow them in its settings.`
  // Ends a subscription for an earlier key, which does not work with the current key.
  await unsubscribe()
  const { pushManager } = await navigator.serviceWorker.ready
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey })
  const { endpoint = '', keys = {} } = subscription.toJSON()
  field('p256dh').value = keys['p256dh'] ?? ''
  field('auth').value = keys['auth'] ?? ''
  field('endpoint').value = endpoint
  return undefined
}

async function unsubscribe() {
  const registration = await navigator.serviceWorker.getRegistration()
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
}
