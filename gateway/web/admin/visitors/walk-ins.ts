// The form in which the front desk records a walk-in visitor.
import { message } from '../../../../shared/messages/message.ts'
import { invalid } from '../../../../shared/messages/refusal.ts'
import { object, queryFlag, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import type { Html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { searchUsers } from '../../pages/search/choices.ts'
import { form } from '../../pages/ui/forms.ts'
import { card } from '../../pages/ui/parts.ts'

export const walkInForm = object({
  visitor: required(text({ max: 255, min: 1 })),
  host: required(text({ max: 255, min: 1 })),
  building: required(queryId()),
  mails_host: queryFlag(),
})

export const canMail = ({ services }: Call): boolean => services.config.mail !== undefined

/** Returns the notice. */
export async function recordWalkIn(
  call: ActionCall<unknown, unknown, typeof walkInForm.__outputType>,
): Promise<string> {
  const { visitor, host, building, mails_host } = call.form
  const [user, another] = await searchUsers(call.reads, host, { limit: 2 })
  if (!user) throw invalid({ host: [message`No active people found.`] })
  if (another) throw invalid({ host: [message`Several people are called so: enter their e-mail address.`] })
  const isTold = mails_host === true && canMail(call)
  const input = { name: visitor, host_id: user.id, building_id: building, mails_host: isTold }
  await call.dispatch('visitors.walk-in', input)
  return isTold ? t`${visitor} arrived. The host gets a mail.` : t`${visitor} arrived.`
}

export function showWalkInForm(call: Call, buildings: ReadonlyArray<{ id: number; name: string }>): Html {
  const options = buildings.map(({ id, name }) => ({ value: id, label: name }))
  return card(
    t`A visitor who is not on the list`,
    form(call, { action: 'walk-in', submit: t`Arrived`, isInline: true }, (fields) => [
      fields.text('visitor', t`Visitor`),
      fields.text('host', t`Host`, { placeholder: t`Name or e-mail` }),
      fields.select('building', t`Building`, { options }),
      canMail(call) && fields.checkbox('mails_host', t`Mail the host`),
    ]),
    'walk-in',
  )
}
