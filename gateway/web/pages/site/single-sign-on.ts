// Signing in through the identity provider: sends the browser there.
import { literal, message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { ProviderFailure } from '../../sessions/failure.ts'
import { createAttempt } from '../../sessions/provider.ts'
import type { ActionCall, ActionResult } from '../page/page.ts'
import { showLink } from '../ui/parts.ts'
import { callbackAddress, describeProviderFailure } from './finish-sign-in.ts'

export async function beginSingleSignOn(call: ActionCall, next: string): Promise<ActionResult> {
  const { provider, services, device, requestId } = call
  if (!provider) throw new Refusal('not_found', message`Single sign-on is not set up here.`)
  const attempt = createAttempt(next)
  try {
    const address = await provider.signInAddress(attempt, callbackAddress(call, call.base))
    call.storeAttempt(attempt)
    return redirectToProvider(address, t`Continue to ${provider.label}`)
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    const why = `${error.kind}: ${error.message}`
    services.log.warn({ address: device.address, requestId, why }, 'sign-in failed')
    // Shown at the form, next to the other way of signing in.
    throw new Refusal('unavailable', literal(describeProviderFailure(error, provider).message))
  }
}

/** The browser continues automatically, or by a link if it does not. */
export function redirectToProvider(address: string, title: string) {
  const content = html`<div class="card narrow"><p>${t`You will be redirected in a moment.`}</p>
<div class="buttons">${showLink(address, t`Continue`, { class: 'button primary' })}</div></div>`
  return { externalRedirectTo: address, show: { title, content } }
}
