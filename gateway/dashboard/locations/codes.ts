// A sheet of QR codes to print for a floor: a scanned code opens the page of its desk.
import { encode } from 'uqr'
import { message } from '../../../shared/messages/message.ts'
import { Refusal } from '../../../shared/messages/refusal.ts'
import { HOME_OFFICE } from '../../../shared/rules/closed.ts'
import { object, queryId, required } from '../../../shared/schemas/fields.ts'
import { naturalSql } from '../../../shared/schemas/ordering.ts'
import { type Html, html } from '../../http/html.ts'
import type { Call } from '../../pages/kit/page.ts'
import { MY } from '../../pages/kit/sessions/addresses.ts'
import { plural, sentence, t } from '../../pages/locales/translate.ts'
import { listRows } from '../../pages/search/rows.ts'
import { form } from '../../pages/ui/forms.ts'
import { card } from '../../pages/ui/parts.ts'
import { showEmpty } from '../../pages/ui/states.ts'
import { type LocationOfForm, locationPages } from '../places/location-pages.ts'

type Coded = { id: number; name: string; code: string | null }

export const locationCodes = locationPages.page({
  path: '/codes',
  title: sentence`QR codes`,
  actions: (action) => ({
    make: action(object({}), async (call) => {
      requirePeoplePages(call)
      const { data } = await call.dispatch('bookables.make-codes', { location_id: call.params.id })
      return { redirectTo: call.linkHere(), notice: plural(data.made, '# code made.', '# codes made.') }
    }),
    renew: action(object({ id: required(queryId()) }), async (call) => {
      await call.dispatch('bookables.renew-code', { id: call.form.id })
      return { redirectTo: call.linkHere(), notice: t`The code is new. The printed one leads nowhere now.` }
    }),
  }),
  async show(call, found) {
    if (!call.services.config.peoplePages)
      return { content: showEmpty(t`QR codes lead to the people’s own pages, which are switched off here.`) }
    const rows = await listCoded(call, found)
    const coded = rows.filter(({ code }) => code !== null)
    const isMissing = rows.length > coded.length
    const make = () =>
      form(call, {
        action: 'make',
        submit: plural(rows.length - coded.length, 'Make # code', 'Make # codes'),
        isInline: true,
      })
    if (coded.length === 0)
      return {
        content: showEmpty(
          isMissing ? t`No QR codes yet.` : t`No desks, rooms or parking yet.`,
          html`<p>${t`Stuck on a desk, a code lets people check in there or book it until the evening, with their own phone.`}</p>${isMissing && make()}`,
        ),
      }
    return {
      title: t`QR codes of ${found.name}`,
      lead: t`Print this page: twelve codes on a sheet of A4.`,
      tools: isMissing ? make() : null,
      content: html`<ul class="codes">${coded.map((each) => showCode(call, found, each))}</ul>
<div class="renewal">${renewal(call, coded)}</div>`,
    }
  },
})

function requirePeoplePages({ services }: Call) {
  if (!services.config.peoplePages)
    throw new Refusal('not_found', message`The people’s own pages are switched off: PEOPLE_PAGES.`)
}

const listCoded = ({ reads }: Call, { id }: LocationOfForm) =>
  listRows<Coded>(
    reads,
    `SELECT id, name, code FROM bookables LEFT JOIN bookable_codes ON bookable_id = id
     WHERE location_id = $1 AND deleted_at IS NULL AND type <> ${HOME_OFFICE} ORDER BY ${naturalSql('name')}, id`,
    [id],
  )

function showCode({ baseUrl }: Call, { name: floor }: LocationOfForm, { name, code }: Coded): Html {
  const { size, data } = encode(`${baseUrl}${MY}/at/${code}`, { ecc: 'M', border: 0 })
  return html`<li><svg viewBox="0 0 ${size} ${size}" role="img" aria-label="${t`QR code of ${name}`}"><path d="${drawModules(data)}"/></svg>
<strong>${name}</strong><span>${floor}</span></li>`
}

/** One line for each run of dark modules. */
const drawModules = (rows: boolean[][]): string =>
  rows
    .flatMap((row, y) => {
      const runs = row.map((dark) => (dark ? '#' : ' ')).join('')
      return [...runs.matchAll(/#+/g)].map(
        ({ index, 0: run }) => `M${index} ${y}h${run.length}v1h-${run.length}`,
      )
    })
    .join('')

function renewal(call: Call, coded: Coded[]): Html {
  const options = coded.map(({ id, name }) => ({ value: id, label: name }))
  return card(
    t`A code that must not work any more`,
    form(call, { action: 'renew', submit: t`Renew`, tone: 'quiet', isInline: true }, (fields) =>
      fields.select('id', t`Desk or room`, { options }),
    ),
    'renew',
  )
}
