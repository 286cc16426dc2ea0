// Places: the first step of importing desks, rooms and parking into a location. The file is stored, and a job that changes
// nothing makes the import plan.
import { MANY_MAX } from '../../../../shared/contracts/bookables.ts'
import { object, pathId } from '../../../../shared/contracts/fields.ts'
import { formatBytes } from '../../../http/format-bytes.ts'
import { type Html, html } from '../../../http/html.ts'
import { deleteFiles } from '../../../http/stored-files.ts'
import { type Call, page } from '../../framework/page.ts'
import { showImportStatus } from '../../imports/stages.ts'
import { sentence, t, tHtml } from '../../language/translate.ts'
import { showRelativeInstant } from '../../time/instants.ts'
import type { Fields } from '../../ui/fields.ts'
import { formCard } from '../../ui/forms.ts'
import { showLinkOrText } from '../../ui/links.ts'
import { type Column, table } from '../../ui/tables.ts'
import { formatNumber } from '../../ui/words.ts'
import { missingLocation, requireLocation } from '../locations/queries.ts'
import { type BookableImportRow, listBookableImports } from './queries.ts'
import { TEMPLATE_LINK } from './template.ts'

const IMPORTS_SHOWN = 10

type LocationCall = Call<{ id: number }>

export const startBookableImport = page({
  path: '/places/locations/{id}/import',
  title: sentence`Import desks, rooms or parking`,
  section: 'Places',
  params: object({ id: pathId() }),
  missing: missingLocation,
  actions: (action) => ({
    review: action(
      object({}),
      async (call) => {
        const { upload, params } = call
        if (!upload) throw new Error('The form has no file')
        const { id: location_id } = await requireLocation(call.reads, params.id)
        const input = { location_id, file_id: upload.fileId, filename: upload.filename }
        const job = await call.accept('bookables.plan-import', input)
        // The first sending of this form has stored a file already.
        if (job.replayed) deleteFiles(call.services.primary, [upload.fileId])
        return { redirectTo: call.link(`/places/imports/${job.id}`) }
      },
      { takesFile: true },
    ),
  }),
  live: { imports: { everySeconds: 5, show: showRecentImports } },
  async show(call) {
    const { id } = call.params
    const location = await requireLocation(call.reads, id)
    const back = `/places/locations/${id}`
    return {
      breadcrumbs: [
        [t`Places`, '/places'],
        [location.building, `/places/buildings/${location.buildingId}`],
        [location.name, back],
      ],
      lead: t`You first see what the import would change. Nothing changes until you apply it.`,
      content: html`${formCard(
        call,
        { action: 'review', submit: t`Review`, hasFile: true, cancel: call.link(back) },
        (fields) => importFields(call, fields),
      )}
<section aria-labelledby="recent"><div class="head"><h2 id="recent">${t`Recent imports`}</h2></div>${await call.live('imports')}</section>`,
    }
  },
})

function importFields(call: Call, fields: Fields): Html {
  const bytesMax = formatBytes(call.services.config.fileBytesMax)
  const template = showLinkOrText(call.link(TEMPLATE_LINK), t`the template`, { download: true })
  return html`${fields.file({
    name: 'file',
    label: t`Import file`,
    required: true,
    accept: '.csv,.txt,.ods,.xls,.xlsx',
    hint: t`A csv, txt, ods, xls or xlsx file of up to ${formatNumber(MANY_MAX)} rows and ${bytesMax}.`,
  })}
<p>${tHtml`Begin with ${template}: each row is a desk, a room or a parking spot. Its first row has the names of the columns:`}</p>
<ul>
<li>${tHtml`${code('name')} is required. What has this name here already is changed, and everything else is added.`}</li>
<li>${tHtml`${code('type')}: desk, parking spot, meeting room or home office. Without one, it is a desk.`}</li>
<li>${tHtml`${code('tags')}, separated by commas or semicolons, and ${code('description')}.`}</li>
<li>${tHtml`${code('status')}: free or blocked.`}</li>
<li>${tHtml`${code('capacity')}: the number of seats in a room.`}</li>
<li>${tHtml`${code('requires_vehicle')}: yes, where bookings need the license plate of a vehicle.`}</li>
<li>${tHtml`${code('x')} and ${code('y')}: the position on the floor plan, in percent from its left and from its top.`}</li>
</ul>
<p class="soft">${t`Empty cells and missing columns leave everything as it is. Nothing is deleted.`}</p>`
}

const code = (column: string) => html`<code>${column}</code>`

async function showRecentImports(call: LocationCall): Promise<Html> {
  const rows = await listBookableImports(call.services.primary, call.params.id, IMPORTS_SHOWN)
  return html`${table(t`Imports`, columns(call), rows, t`No imports in the last seven days.`)}`
}

function columns(call: Call): Column<BookableImportRow>[] {
  return [
    {
      label: t`File`,
      isHead: true,
      show: ({ id, input }) => showLinkOrText(call.link(`/places/imports/${id}`), input.filename),
    },
    { label: t`By`, show: ({ actorName }) => actorName },
    { label: t`Started`, show: ({ createdAt }) => showRelativeInstant(createdAt, call.now) },
    { label: t`Status`, show: showImportStatus },
  ]
}
