// Pictures of people on pages: adds a picture to each avatar whose person has one that the viewer may see, and serves
// these pictures at addresses that contain a hash of the picture.
import { message } from '../../../../shared/messages/message.ts'
import { Refusal } from '../../../../shared/messages/refusal.ts'
import { PICTURE_HASH_SQL } from '../../../../shared/people/pictures.ts'
import { Html } from '../../../html/html.ts'
import { findRow, listRows } from '../../../reads/rows/rows.ts'
import { PICTURE_HEADERS } from '../../../server/http/picture-headers.ts'
import type { Context } from '../../../server/services/context.ts'
import type { SiteContext } from './context.ts'
import type { Call } from './page.ts'
import { countViewerRequest, shareViewerReads } from './viewer-share.ts'
import { createSessionEndedFailure, identifyViewer } from './viewers.ts'

export const PERSON_PICTURE_PATH = '/pictures/:id/:hash'

const CACHE_SECONDS = 30 * 24 * 3600

// The answer must be the same if the person hides, has no picture, or does not exist.
const missing = message`This picture does not exist, or you cannot see it.`

const SHOWN_PICTURES_SQL =
  'user_pictures JOIN users ON users.id = user_pictures.user_id WHERE picture IS NOT NULL AND deactivated_at IS NULL'

const FIND_PICTURE_SQL = `SELECT picture AS data FROM ${SHOWN_PICTURES_SQL} AND user_pictures.user_id = $1 AND ${PICTURE_HASH_SQL} = $2`

// The start of an avatar (pages/ui/avatars.ts), or the initials on a map (pages/map/cells.ts). Text on a page never
// matches, because its quotation marks are escaped.
const AVATAR_PATTERN =
  /<span class="avatar[^"]*" data-person="(\d+)"[^>]*>|<text class="initials" data-person="(\d+)">[^<]*<\/text>/g

/** Adds the pictures of people to their avatars, with one statement for a page. */
export async function addPersonPictures(call: Call, content: Html): Promise<Html> {
  if (!call.services.config.peoplePictures) return content
  const ids = new Set(
    [...content.text.matchAll(AVATAR_PATTERN)].map(([, id, idOnMap]) => Number(id ?? idOnMap)),
  )
  if (ids.size === 0) return content
  const found = await listRows<{ id: string; hash: string }>(
    call.reads,
    `SELECT user_pictures.user_id::text AS id, ${PICTURE_HASH_SQL} AS hash
     FROM ${SHOWN_PICTURES_SQL} AND user_pictures.user_id = ANY($1::bigint[])`,
    [[...ids]],
  )
  if (found.length === 0) return content
  const hashes = new Map(found.map(({ id, hash }) => [id, hash]))
  const text = content.text.replace(AVATAR_PATTERN, (shown: string, id?: string, idOnMap?: string) => {
    const hash = hashes.get(id ?? idOnMap ?? '')
    if (hash === undefined) return shown
    const address = call.link(`/pictures/${id ?? idOnMap}/${hash}`)
    return id === undefined
      ? `${shown}<image class="portrait" href="${address}" x="-10" y="-10" width="20" height="20"/>`
      : `${shown}<img src="${address}" alt="" loading="lazy">`
  })
  return new Html(text)
}

export async function sendPersonPicture(ctx: Context, context: SiteContext): Promise<void> {
  const { services, site } = context
  const viewer = await identifyViewer(ctx, context)
  if (!viewer.admin && !viewer.person) throw createSessionEndedFailure()
  const { id, hash } = ctx.params as { id: string; hash: string }
  await countViewerRequest(ctx, viewer, context)
  const { primary } = services.reads
  // Reads from the primary, because a browser asks for the picture right after the upload.
  const reads = site.limitReads?.(primary, viewer) ?? primary.pool
  const isWellFormed = services.config.peoplePictures && /^\d{1,15}$/.test(id)
  const found =
    isWellFormed &&
    (await shareViewerReads(viewer, context, () =>
      findRow<{ data: Buffer }>(reads, FIND_PICTURE_SQL, [Number(id), hash]),
    ))
  if (!found) throw new Refusal('not_found', missing)
  ctx.set('Cache-Control', `private, max-age=${CACHE_SECONDS}, immutable`)
  ctx.set(PICTURE_HEADERS)
  ctx.type = 'image/webp'
  ctx.body = found.data
}
