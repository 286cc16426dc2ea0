// Signing out in this browser, on both sites.
import { object } from '../../../../shared/schemas/fields.ts'
import { sentence, t } from '../../locales/translate.ts'
import { type ActionCall, type ActionResult, page } from '../page/page.ts'
import { confirmation } from '../ui/forms.ts'

/** `end` ends the session, and returns where signing out goes on, if not here. */
export const signOutPage = (end: (call: ActionCall) => Promise<ActionResult | undefined>) =>
  page({
    path: '/sign-out',
    title: sentence`Sign out`,
    readers: 'reader',
    writers: 'reader',
    actions: (action) => ({
      'sign-out': action(object({}), async (call) => {
        const elsewhere = await end(call)
        call.setSession(undefined)
        return { ...(elsewhere ?? { redirectTo: call.link('/sign-in') }), notice: t`You are signed out.` }
      }),
    }),
    show: (call) =>
      confirmation(call, {
        question: t`Sign out?`,
        consequence: t`You are signed in as ${(call.viewer.admin ?? call.requirePerson()).email}.`,
        action: 'sign-out',
        submit: t`Sign out`,
        tone: 'primary',
        cancel: call.link('/'),
        cancelLabel: t`Cancel`,
      }),
  })
