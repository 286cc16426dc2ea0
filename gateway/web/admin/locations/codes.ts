// Sheets of QR codes to print for a floor, one per page. A scanned code opens the page of its desk.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { HOME_OFFICE_TYPE } from '../../../../shared/rules/closed-times.ts'
import { object, queryId, required } from '../../../../shared/schemas/fields.ts'
import { naturalSql } from '../../../../shared/schemas/ordering.ts'
import { type Html, html } from '../../../html/html.ts'
import { listRows } from '../../../reads/rows/rows.ts'
import { type Slice, toRowsWithTotal } from '../../../reads/rows/slices.ts'
import { plural, sentence, t } from '../../locales/translate.ts'
import type { Call } from '../../pages/page/page.ts'
import { form } from '../../pages/ui/forms.ts'
import { createPageSlice, pageNumber, showListPager, showPageBeyondLast } from '../../pages/ui/paging.ts'
import { showCard } from '../../pages/ui/parts.ts'
import { showQrCode } from '../../pages/ui/qr-code.ts'
import { showEmptyState } from '../../pages/ui/states.ts'
import { MY_PAGES_PATH } from '../../sessions/addresses.ts'
import { type LocationOfForm, locationPages } from '../places/location-pages.ts'

const CODES_PER_SHEET = 12

type BookableCode = { id: number; name: string; code: string }
type CountedCode = BookableCode & { total: number; missing: number }

export const locationCodesPage = locationPages.page({
  path: '/codes',
  title: sentence`QR codes`,
  query: object({ page: pageNumber() }),
  actions: (action) => ({
    make: action(object({}), async (call) => {
      requirePeoplePages(call)
      const { data } = await call.dispatch('bookables.make-codes', { location_id: call.params.id })
      return { redirectTo: call.linkHere(), notice: plural(data.made, '# code created.', '# codes created.') }
    }),
    renew: action(object({ id: required(queryId()) }), async (call) => {
      await call.dispatch('bookables.renew-code', { id: call.form.id })
      return { redirectTo: call.linkHere(), notice: t`New code created. The printed code no longer works.` }
    }),
  }),
  async show(call, location) {
    if (!call.services.config.peoplePages)
      return { content: showEmptyState(t`QR codes lead to people’s own pages, which are switched off here.`) }
    const { page } = call.query
    const rows = await listBookableCodes(call, location, createPageSlice(page, CODES_PER_SHEET))
    const coded = rows.filter(({ code }) => code !== null)
    const { missing = 0 } = rows[0] ?? {}
    const make =
      missing > 0 &&
      form(call, {
        action: 'make',
        submit: plural(missing, 'Create # code', 'Create # codes'),
        isInline: true,
      })
    if (coded.length === 0) return { content: page > 1 ? showPageBeyondLast(call, page) : showNoCodes(make) }
    const found = toRowsWithTotal(coded)
    const shown = coded.slice(0, CODES_PER_SHEET)
    return {
      title: t`QR codes of ${location.name}`,
      lead: t`Print this page: twelve codes on a sheet of A4.`,
      tools: make || null,
      content: html`<ul class="codes">${shown.map((each) => showCode(call, location, each))}</ul>
${showListPager(call, { found, page, rowsPerPage: CODES_PER_SHEET })}
<div class="showRenewal">${showRenewal(call, shown)}</div>`,
    }
  },
})

function requirePeoplePages({ services }: Call) {
  if (!services.config.peoplePages)
    throw new Refusal('not_found', message`People’s own pages are switched off (PEOPLE_PAGES).`)
}

/** Lists bookables with their codes. Bookables without a code come last, and are only counted. */
const listBookableCodes = ({ reads }: Call, { id }: LocationOfForm, { offset, limit }: Slice) =>
  listRows<CountedCode>(
    reads,
    `SELECT id, name, code, (count(code) OVER ())::int AS total, (count(*) OVER () - count(code) OVER ())::int AS missing
     FROM bookables LEFT JOIN bookable_codes ON bookable_id = id
     WHERE location_id = $1 AND deleted_at IS NULL AND type <> ${HOME_OFFICE_TYPE}
     ORDER BY code IS NULL, ${naturalSql('name')}, id OFFSET $2 LIMIT $3`,
    [id, offset, limit],
  )

function showNoCodes(make: Html | false): Html {
  return showEmptyState(
    make ? t`No QR codes yet.` : t`No desks, rooms or parking yet.`,
    html`<p>${t`Put a code on each desk. People scan it with their own phone to check in or to book the desk until the evening.`}</p>${make}`,
  )
}

const showCode = ({ baseUrl }: Call, { name: floor }: LocationOfForm, { name, code }: BookableCode): Html =>
  html`<li>${showQrCode(`${baseUrl}${MY_PAGES_PATH}/at/${code}`, t`QR code of ${name}`)}
<strong>${name}</strong><span>${floor}</span></li>`

function showRenewal(call: Call, coded: BookableCode[]): Html {
  const options = coded.map(({ id, name }) => ({ value: id, label: name }))
  return showCard(
    t`Replace a code`,
    form(call, { action: 'renew', submit: t`Renew`, tone: 'quiet', isInline: true }, (fields) =>
      fields.select('id', t`Desk or room`, { options }),
    ),
    'renew',
  )
}
