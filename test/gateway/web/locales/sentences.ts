// Finds the sentences in the sources: the arguments of t, tHtml, sentence, sentences, plural, message and counted. The
// compiler has no interface for programs, so this finds a template by its tag and reads it to its end.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDirectory } from '../../../../local/tools/folders.ts'

export type Found = { key: string; file: string; isPlural: boolean }

const TAGGED = /(?<![\w.])(?:t|tHtml|sentences?|message)`/g
const PLURAL = /(?<![\w.]|function )(?:plural|counted)\(/g
const COMMENT = /^\s*(?:\/\/|\/?\*).*$/gm
const LITERAL = /^\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\$]|\\.)*)`)\s*$/

/** Scripts in the browser have a catalog of their own. */
export const SCRIPTS = 'gateway/web/browser'

export function findSentences(folder: string): Found[] {
  const names = readdirSync(join(projectDirectory, folder), { recursive: true, encoding: 'utf8' })
  const files = names.filter((name) => name.endsWith('.ts')).map((name) => join(folder, name))
  return files
    .filter((file) => folder === SCRIPTS || !file.startsWith(`${SCRIPTS}/`))
    .flatMap((file) => sentencesOf(file))
}

function sentencesOf(file: string): Found[] {
  const text = readFileSync(join(projectDirectory, file), 'utf8').replace(COMMENT, '')
  const tagged = [...text.matchAll(TAGGED)].flatMap(({ index, 0: tag }) => {
    const { key } = readTemplate(text, index + tag.length)
    const keys = tag === 'sentences`' ? key.trim().split(/,\s+/) : [key]
    return keys.map((each) => ({ key: each, file, isPlural: false }))
  })
  const plurals = [...text.matchAll(PLURAL)].map(({ index, 0: name }) => {
    const [, , other = ''] = readArguments(text, index + name.length)
    const found = LITERAL.exec(other)
    if (!found) throw new Error(`${file}: plural needs its sentences as they are, not ${other}`)
    return { key: readEscapes(found[1] ?? found[2] ?? found[3] ?? ''), file, isPlural: true }
  })
  return [...tagged, ...plurals]
}

const readEscapes = (text: string) => text.replace(/\\(.)/g, '$1')

/** Reads a template. `start` is the position after its first backtick. */
function readTemplate(text: string, start: number): { key: string; end: number } {
  let key = ''
  let values = 0
  for (let at = start; at < text.length; at++) {
    if (text[at] === '\\') key += text[++at]
    else if (text[at] === '`') return { key, end: at }
    else if (text.startsWith('${', at)) {
      key += `{${values++}}`
      at = endOfCode(text, at + 2, '}')
    } else key += text[at]
  }
  throw new Error(`A template has no end: ${text.slice(start, start + 80)}`)
}

/** Returns the position of `last`, skipping templates, strings and nested brackets. */
function endOfCode(text: string, start: number, last: string): number {
  for (let at = start; at < text.length; at++) {
    const character = text[at] ?? ''
    if (character === last) return at
    if (character === '`') at = readTemplate(text, at + 1).end
    else if (character === "'" || character === '"') at = endOfText(text, at)
    else if (character in CLOSING) at = endOfCode(text, at + 1, CLOSING[character] ?? '')
  }
  throw new Error(`Code has no end: ${text.slice(start, start + 80)}`)
}

const CLOSING: Record<string, string> = { '(': ')', '{': '}', '[': ']' }

function endOfText(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === text[start]) return at
  }
  throw new Error('A text has no end')
}

/** Returns the source text of each argument of a call. `start` is the position after its opening bracket. */
function readArguments(text: string, start: number): string[] {
  const end = endOfCode(text, start, ')')
  const found: string[] = []
  let from = start
  while (from < end) {
    const inner = text.slice(0, end)
    const comma = inner.indexOf(',', from) === -1 ? end : nextComma(inner, from)
    found.push(text.slice(from, comma))
    from = comma + 1
  }
  return found
}

function nextComma(text: string, start: number): number {
  try {
    return endOfCode(text, start, ',')
  } catch {
    return text.length
  }
}
