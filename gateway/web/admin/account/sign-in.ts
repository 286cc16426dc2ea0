// Signs administrators in with a password or through the identity provider. Signs them out in this browser, and also at
// the provider if the session began there.
import { type Message, message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { email, object, pathText, required } from '../../../../shared/schemas/fields.ts'
import { html } from '../../../html/html.ts'
import { sentence, t } from '../../locales/translate.ts'
import { type Call, definePage } from '../../pages/page/page.ts'
import { requirePasswords } from '../../pages/page/roles.ts'
import { defineSignOutPage } from '../../pages/site/sign-out.ts'
import { beginSingleSignOn, redirectToProvider } from '../../pages/site/single-sign-on.ts'
import { showEmailField } from '../../pages/ui/email-field.ts'
import { form } from '../../pages/ui/forms.ts'
import { toSafePath } from '../../sessions/addresses.ts'
import { ProviderFailure } from '../../sessions/failure.ts'
import { endSession, isAdminLinked } from '../../sessions/sessions.ts'
import { password, showPasswordField, startSession } from './fields.ts'

export const signInPage = definePage({
  path: '/sign-in',
  title: sentence`Sign in`,
  access: 'everybody',
  query: object({ next: pathText().optional() }),
  actions: (action) => ({
    'sign-in': action(object({ email: required(email()), password: password() }), async (call) => {
      requirePasswords(call)
      const { services, device, requestId } = call
      const { address } = device
      const account = await call.signIns.check(call.form.email, call.form.password, device)
      if (!account || !(await startSession(call, account))) {
        services.log.warn({ address, requestId }, 'sign-in failed')
        throw new Refusal('validation_failed', describeWrongPassword(call))
      }
      services.log.info({ adminId: account.id, address, requestId }, 'signed in')
      return { redirectTo: call.link(toSafePath(call.query.next, call.base)) }
    }),
    'single-sign-on': action(object({}), (call) =>
      beginSingleSignOn(call, toSafePath(call.query.next, call.base)),
    ),
  }),
  show: (call) => {
    const { provider } = call
    const submit = provider && t`Sign in with ${provider.label}`
    const isLocal = call.services.config.signIn.isLocal
    return html`<div class="card narrow">
${submit && form(call, { action: 'single-sign-on', submit })}
${submit && isLocal && html`<p class="soft">${t`Or with a password:`}</p>`}
${
  isLocal &&
  form(call, { action: 'sign-in', submit: t`Sign in`, tone: submit ? 'quiet' : 'primary' }, (fields) => [
    showEmailField(fields),
    showPasswordField(fields, 'password', t`Password`),
  ])
}
</div>`
  },
})

// Returns the same message in every case, so that it does not reveal whether an account exists.
function describeWrongPassword({ provider }: Call): Message {
  if (!provider) return message`Wrong e-mail or password.`
  return message`Wrong e-mail or password. If you have signed in with ${provider.label} before, use that.`
}

export const dashboardSignOutPage = defineSignOutPage(async (call) => {
  await endSession(call.services.primary, call.viewer.secret)
  const address = await findProviderSignOutAddress(call)
  return address === undefined
    ? undefined
    : redirectToProvider(address, t`Signing out of ${call.provider?.label ?? ''}`)
})

/** Returns the address for signing out at the provider, or undefined if there is none. Berth's own session
 * has ended even if this fails. */
async function findProviderSignOutAddress(call: Call): Promise<string | undefined> {
  const { provider, services, requestId } = call
  if (!provider) return undefined
  if (!(await isAdminLinked(services.primary, provider.issuer, call.requireAdmin().id))) return undefined
  try {
    return await provider.signOutAddress(`${new URL(call.baseUrl).origin}${call.link('/sign-in')}`)
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    services.log.warn({ requestId, why: `${error.kind}: ${error.message}` }, 'signed out here only')
    return undefined
  }
}
