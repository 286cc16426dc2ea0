// The form in which the front desk records a walk-in visitor.
import { object, queryFlag, queryId, required, text } from '../../../../shared/schemas/fields.ts'
import type { Html } from '../../../html/html.ts'
import { t } from '../../locales/translate.ts'
import { canMail } from '../../pages/page/can-mail.ts'
import type { ActionCall, Call } from '../../pages/page/page.ts'
import { namedPerson, requireNamedPerson, showNamedPeopleField } from '../../pages/search/named-people.ts'
import { form } from '../../pages/ui/forms.ts'
import { showCard } from '../../pages/ui/parts.ts'

export const walkInForm = object({
  visitor: required(text({ max: 255, min: 1 })),
  host: required(namedPerson()),
  building: required(queryId()),
  mails_host: queryFlag(),
})

/** Records the walk-in visitor, and returns the notice. */
export async function recordWalkIn(
  call: ActionCall<unknown, unknown, typeof walkInForm.__outputType>,
): Promise<string> {
  const { visitor, host, building, mails_host } = call.form
  const user = await requireNamedPerson(call.reads, host, 'host')
  const isTold = mails_host === true && canMail(call)
  const input = { name: visitor, host_id: user.id, building_id: building, mails_host: isTold }
  await call.dispatch('visitors.walk-in', input)
  return isTold ? t`${visitor} arrived. The host gets an e-mail.` : t`${visitor} arrived.`
}

export function showWalkInForm(call: Call, buildings: ReadonlyArray<{ id: number; name: string }>): Html {
  const options = buildings.map(({ id, name }) => ({ value: id, label: name }))
  return showCard(
    t`A visitor who is not on the list`,
    form(call, { action: 'walk-in', submit: t`Arrived`, isInline: true }, (fields) => [
      fields.text('visitor', t`Visitor`),
      showNamedPeopleField(fields.text('host', t`Host`, { placeholder: t`Name or e-mail` })),
      fields.select('building', t`Building`, { options }),
      canMail(call) && fields.checkbox('mails_host', t`E-mail the host`),
    ]),
    'walk-in',
  )
}
