// Buttons of an entry in a list, such as a booking on My day. Each sends one action about this entry.
import type { Call } from '../pages/page/page.ts'
import { form } from '../pages/ui/forms.ts'

/** Returns a function that shows a button. `about` names the entry to screen readers. */
export const createEntryButtons =
  (call: Call, about: string, hidden: Record<string, string | number> & { id: number }) =>
  (action: string, submit: string, tone: 'primary' | 'quiet' | 'danger') =>
    form(call, {
      action,
      submit,
      tone,
      key: hidden.id,
      hidden,
      isInline: true,
      submitLabel: `${submit}: ${about}`,
    })
