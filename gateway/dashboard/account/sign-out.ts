// Signing out in this browser, and at the provider if the session began there.
import { object } from '../../../shared/schemas/fields.ts'
import { type Call, page } from '../kit/page.ts'
import { ProviderFailure } from '../kit/sessions/failures.ts'
import { findIsLinked } from '../kit/sessions/identities.ts'
import { endSession } from '../kit/sessions/sessions.ts'
import { sentence, t, translate } from '../locales/translate.ts'
import { confirmation } from '../ui/forms.ts'
import { redirectView } from './redirect-page.ts'

const SIGNED_OUT = sentence`You are signed out.`

export const signOut = page({
  path: '/sign-out',
  title: sentence`Sign out`,
  readers: 'reader',
  writers: 'reader',
  actions: (action) => ({
    'sign-out': action(object({}), async (call) => {
      await endSession(call.services.primary, call.viewer.secret)
      const address = await findProviderSignOut(call)
      call.setSession(undefined)
      if (address !== undefined)
        return redirectView(address, t`Signing out of ${call.provider?.label ?? ''}`, translate(SIGNED_OUT))
      return { redirectTo: call.link('/sign-in'), notice: translate(SIGNED_OUT) }
    }),
  }),
  show: (call) =>
    confirmation(call, {
      question: t`Sign out?`,
      consequence: t`You are signed in as ${call.requireAdmin().email}.`,
      action: 'sign-out',
      submit: t`Sign out`,
      tone: 'primary',
      cancel: call.link('/'),
      cancelLabel: t`Cancel`,
    }),
})

/** Undefined if there is no provider to sign out of. Our session has ended even if this fails. */
async function findProviderSignOut(call: Call): Promise<string | undefined> {
  const { provider, services, requestId } = call
  if (!provider) return undefined
  if (!(await findIsLinked(services.primary, provider.issuer, call.requireAdmin().id))) return undefined
  try {
    return await provider.signOutAddress(`${new URL(call.baseUrl).origin}${call.link('/sign-in')}`)
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error
    services.log.warn({ requestId, why: `${error.kind}: ${error.message}` }, 'signed out here only')
    return undefined
  }
}
