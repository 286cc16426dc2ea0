// The page that signs the user out in this browser. Both sites have this page.
import { object } from '../../../../shared/schemas/fields.ts'
import { sentence, t } from '../../locales/translate.ts'
import { type ActionCall, type ActionResult, definePage } from '../page/page.ts'
import { showConfirmation } from '../ui/forms.ts'

/** `end` ends the session. It returns where signing out continues, or undefined if signing out ends here. */
export const defineSignOutPage = (end: (call: ActionCall) => Promise<ActionResult | undefined>) =>
  definePage({
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
      showConfirmation(call, {
        question: t`Sign out?`,
        consequence: t`You are signed in as ${(call.viewer.admin ?? call.requirePerson()).email}.`,
        action: 'sign-out',
        submit: t`Sign out`,
        tone: 'primary',
        cancel: call.link('/'),
        cancelLabel: t`Cancel`,
      }),
  })
