// The dashboard's styles, scripts, icons and fonts. Their addresses contain a hash of all of them, so that browsers may
// cache them.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { unknownPath } from '../../../../shared/messages/refusal.ts'
import type { Context } from '../../../server/services/context.ts'

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
// They control all pages of their site. By default, a service worker controls only its own folder.
const SERVICE_WORKERS = ['form-keeper.js', 'screen-worker.js']

const directory = join(import.meta.dirname, '../../browser')
const isBuilt = import.meta.filename.endsWith('.js')
const assets = new Map(
  readdirSync(directory)
    .filter((name) => extname(name) in TYPES)
    .map((name) => [name, readFileSync(join(directory, name))]),
)
if (!isBuilt) {
  const { bundleAssets } = await import('./bundle-assets.ts')
  for (const { path, contents } of bundleAssets(directory, directory, { write: false }))
    assets.set(basename(path), Buffer.from(contents))
}
/** All styles in one file; later ones win. */
export const STYLES = 'all.css'
const SHEETS = [
  'tokens',
  'dashboard',
  'lists',
  'today',
  'places',
  'bookings',
  'people',
  'day',
  'palette',
  'report',
]
assets.set(STYLES, Buffer.concat(SHEETS.map((name) => assets.get(`${name}.css`) ?? Buffer.of())))
const hash = createHash('sha256')
for (const content of assets.values()) hash.update(content)
const VERSION = hash.digest('hex').slice(0, 12)

export const ASSET_PATH = '/assets/:version/:name'

export function assetLink(root: string, name: string): string {
  if (!assets.has(name)) throw new Error(`There is no asset ${name}`)
  return `${root}/assets/${VERSION}/${name}`
}

export function sendAsset(ctx: Context, { version, name }: { version: string; name: string }) {
  const content = assets.get(name)
  if (!content) throw unknownPath(ctx.path)
  // During a rollout, a page of one version may ask a gateway of the other. The gateway sends the file that
  // it has, but the browser must not cache it.
  const isKnown = version === VERSION
  ctx.set('Cache-Control', isKnown ? 'public, max-age=31536000, immutable' : 'no-cache')
  const [site = ''] = ctx.path.split('/assets/')
  if (SERVICE_WORKERS.includes(name)) ctx.set('Service-Worker-Allowed', `../../..${site}`)
  ctx.type = TYPES[extname(name)] ?? ''
  ctx.body = content
}
