// Buttons that copy the text of another element, or print the page. Hidden without this script.
import { t } from './shared/translate.ts'

const SHOWN_MS = 2_000

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
  const source = document.getElementById(button.dataset.copy ?? '')
  if (!source) continue
  const label = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    getSelection()?.selectAllChildren(source)
    button.textContent = (await copy(source.textContent)) ? t`Copied` : t`Press Ctrl+C`
    setTimeout(() => {
      button.textContent = label
    }, SHOWN_MS)
  })
}

/** The clipboard is available only over TLS and on localhost. */
async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return false
  }
}

for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => print())
}
