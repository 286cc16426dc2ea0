// Serves the dashboard's styles, scripts, icons and fonts. Their addresses contain a hash of all of these files, so
// that browsers may cache them.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { createUnknownPathRefusal } from '../../../../shared/messages/refusal.ts'
import type { Context } from '../../../server/services/context.ts'

const CONTENT_TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}
// Scripts that control all pages of their site. By default, a service worker controls only its own folder.
const SERVICE_WORKERS = ['form-keeper.js', 'screen-worker.js']

const assetsDirectory = join(import.meta.dirname, '../../browser')
const isBuilt = import.meta.filename.endsWith('.js')
const assets = new Map(
  readdirSync(assetsDirectory)
    .filter((name) => extname(name) in CONTENT_TYPES)
    .map((name) => [name, readFileSync(join(assetsDirectory, name))]),
)
if (!isBuilt) {
  const { bundleAssets } = await import('./bundle-assets.ts')
  for (const { path, contents } of bundleAssets(assetsDirectory, assetsDirectory, { write: false }))
    assets.set(basename(path), Buffer.from(contents))
}
const assetsHash = createHash('sha256')
for (const content of assets.values()) assetsHash.update(content)
const ASSETS_VERSION = assetsHash.digest('hex').slice(0, 12)

export const ASSET_PATH = '/assets/:version/:name'

export function formatAssetLink(root: string, name: string): string {
  if (!assets.has(name)) throw new Error(`There is no asset ${name}`)
  return `${root}/assets/${ASSETS_VERSION}/${name}`
}

export function sendAsset(ctx: Context, { version, name }: { version: string; name: string }) {
  const content = assets.get(name)
  if (!content) throw createUnknownPathRefusal(ctx.path)
  // During a rollout, a page of one version may ask a gateway of another version for a file. The gateway
  // sends its own version of the file, but the browser must not cache it.
  const isKnown = version === ASSETS_VERSION
  ctx.set('Cache-Control', isKnown ? 'public, max-age=31536000, immutable' : 'no-cache')
  const [site = ''] = ctx.path.split('/assets/')
  if (SERVICE_WORKERS.includes(name)) ctx.set('Service-Worker-Allowed', `../../..${site}`)
  ctx.type = CONTENT_TYPES[extname(name)] ?? ''
  ctx.body = content
}
