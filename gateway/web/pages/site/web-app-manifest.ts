// The manifest with which phones and computers install people's own pages as an app, in the reader's language.
import { DEFAULT_LANGUAGE, isLanguage, type Language } from '../../../../shared/messages/languages.ts'
import { type Html, html } from '../../../html/html.ts'
import type { Context } from '../../../server/services/context.ts'
import { catalogs } from '../../locales/catalogs.ts'
import { currentLanguage, t, translate, withLanguage } from '../../locales/translate.ts'
import { linkTo } from '../../sessions/addresses.ts'
import { formatAssetLink } from '../page/assets.ts'
import type { SiteContext } from '../page/context.ts'
import { MY_SECTIONS } from '../page/my-sections.ts'
import { START_PATH } from '../page/redirect-browsers.ts'

export const MANIFEST_PATH = '/manifest.webmanifest'
// The colours of --paper in tokens.css, light and dark.
const [PAPER_LIGHT, PAPER_DARK] = ['#f8f9fb', '#0d1115']
const SCREENSHOT_SIZE = '360x640'

/** The part of a page's head that an installed app uses. Browsers fetch the manifest without cookies. */
export const showAppHead = (
  root: string,
): Html => html`<meta name="theme-color" content="${PAPER_LIGHT}" media="(prefers-color-scheme: light)">
<meta name="theme-color" content="${PAPER_DARK}" media="(prefers-color-scheme: dark)">
<link rel="apple-touch-icon" href="${formatAssetLink(root, 'touch-icon.png')}">
<link rel="manifest" href="${linkTo(root, MANIFEST_PATH, { language: currentLanguage() })}">`

export function sendManifest(ctx: Context, { root }: SiteContext) {
  const [asked] = [ctx.query['language'] ?? []].flat()
  const language = isLanguage(asked) ? asked : DEFAULT_LANGUAGE
  const manifest = withLanguage(language, catalogs[language], () => createManifest(root, language))
  ctx.set('Cache-Control', 'public, max-age=3600')
  ctx.type = 'application/manifest+json'
  ctx.body = JSON.stringify(manifest)
}

function createManifest(root: string, language: Language) {
  const icon = (name: string, sizes: string, purpose = 'any') => ({
    src: formatAssetLink(root, name),
    sizes,
    type: name.endsWith('.svg') ? 'image/svg+xml' : 'image/png',
    purpose,
  })
  const screenshot = (name: string, label: string) => ({
    src: formatAssetLink(root, name),
    sizes: SCREENSHOT_SIZE,
    type: 'image/png',
    form_factor: 'narrow',
    label,
  })
  return {
    // Must stay the start address of apps that were installed before the manifest had an id.
    id: root + START_PATH,
    name: 'Berth',
    short_name: 'Berth',
    description: t`Book desks, rooms and parking spots.`,
    lang: language,
    start_url: root + START_PATH,
    scope: root,
    display: 'standalone',
    background_color: PAPER_LIGHT,
    theme_color: PAPER_LIGHT,
    icons: [
      icon('icon-192.png', '192x192'),
      icon('icon-512.png', '512x512'),
      icon('icon-maskable-512.png', '512x512', 'maskable'),
      icon('icon.svg', 'any'),
    ],
    shortcuts: MY_SECTIONS.slice(0, 3).map(({ label, path }) => ({
      name: translate(label),
      url: linkTo(root, path),
      icons: [icon('icon-192.png', '192x192')],
    })),
    screenshots: [
      screenshot('screenshot-my-day.png', t`My day`),
      screenshot('screenshot-my-book.png', t`Book`),
    ],
  }
}
