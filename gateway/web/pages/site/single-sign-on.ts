// Starts signing in through the identity provider by sending the browser there.
import { literalMessage, message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { ProviderFailure } from '../../sessions/failure.ts'
import { createSignInAttempt } from '../../sessions/provider.ts'
import type { ActionCall, ActionResult } from '../page/page.ts'
import { showLink } from '../ui/parts.ts'
import { describeProviderFailure, formatCallbackAddress } from './finish-sign-in.ts'

export async function beginSingleSignOn(call: ActionCall, next: string): Promise<ActionResult> {
  const { provider, services, device, requestId } = call
  if (!provider) throw new Refusal('not_found', message`Single sign-on is not set up here.`)
  const attempt = createSignInAttempt(next)
  try {
    const address = await provider.signInAddress(attempt, formatCallbackAddress(call, call.base))
    call.storeAttempt(attempt)
    return redirectToProvider(address, t`Continue to ${provider.label}`)
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    const why = `${error.kind}: ${error.message}`
    services.log.warn({ address: device.address, requestId, why }, 'sign-in failed')
    // Shows the error next to the form, which offers the other way of signing in.
    throw new Refusal('unavailable', literalMessage(describeProviderFailure(error, provider).message))
  }
}

/** Shows a page from which the browser continues automatically, or with a link if it does not. */
export function redirectToProvider(address: string, title: string) {
  const content = html`<div class="card narrow"><p>${t`You will be redirected in a moment.`}</p>
<div class="buttons">${showLink(address, t`Continue`, { class: 'button primary' })}</div></div>`
  return { externalRedirectTo: address, show: { title, content } }
}
