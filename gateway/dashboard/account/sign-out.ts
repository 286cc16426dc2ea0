// Signing out, on this browser.
import { object } from '../../../shared/contracts/fields.ts'
import { page } from '../framework/page.ts'
import { endSession } from '../framework/sessions/sessions.ts'
import { confirmation } from '../ui/forms.ts'

export const signOut = page({
  path: '/sign-out',
  title: 'Sign out',
  readers: 'reader',
  writers: 'reader',
  actions: (action) => ({
    'sign-out': action(object({}), async (call) => {
      await endSession(call.services.primary, call.viewer.secret)
      call.setSession(undefined)
      return { redirectTo: call.link('/sign-in'), notice: 'You are signed out.' }
    }),
  }),
  show: (call) =>
    confirmation(call, {
      question: 'Sign out?',
      consequence: `You are signed in as ${call.requireAdmin().email}.`,
      action: 'sign-out',
      submit: 'Sign out',
      tone: 'primary',
      cancel: call.link('/'),
      cancelLabel: 'Cancel',
    }),
})
