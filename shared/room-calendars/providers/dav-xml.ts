// Reads and writes the XML of WebDAV. A document with a DOCTYPE is refused, so no entity is ever expanded.
import { SaxesParser } from 'saxes'
import { ProviderFault } from './provider.ts'

const DEPTH_MAX = 32
const ELEMENTS_MAX = 500_000

export const DAV = 'DAV:'
export const CALDAV = 'urn:ietf:params:xml:ns:caldav'

/** Names are local names with their namespace before them, such as `DAV:href`. */
export type XmlElement = {
  name: string
  text: string
  attributes: Record<string, string>
  children: XmlElement[]
}

/** Throws a fault if the text is not the XML that Berth asks for. */
export function parseXml(text: string): XmlElement {
  const root: XmlElement = { name: '', text: '', attributes: {}, children: [] }
  const open = [root]
  let elements = 0
  const parser = new SaxesParser({ xmlns: true, position: false })
  const refuse = (reason: string) => {
    throw new ProviderFault('unavailable', `The server answered XML that Berth does not read: ${reason}`)
  }
  parser.on('error', (error) => refuse(error.message))
  parser.on('doctype', () => refuse('it has a document type.'))
  parser.on('opentag', ({ uri, local, attributes }) => {
    if (open.length > DEPTH_MAX) refuse('it is nested too deep.')
    if (++elements > ELEMENTS_MAX) refuse('it has too many elements.')
    const values = Object.fromEntries(Object.values(attributes).map((each) => [each.local, each.value]))
    const element = {
      name: `${uri === DAV ? uri : `${uri}:`}${local}`,
      text: '',
      attributes: values,
      children: [],
    }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  const addText = (part: string) => {
    const element = open.at(-1)
    if (element) element.text += part
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => void open.pop())
  parser.write(text).close()
  return root.children[0] ?? root
}

export const findChild = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child) => child.name === name)

/** Finds an element by the names on the way to it. */
export function findPath(element: XmlElement | undefined, ...names: string[]): XmlElement | undefined {
  return names.reduce<XmlElement | undefined>(findChild, element)
}

export const hasElement = (element: XmlElement, name: string): boolean =>
  element.name === name || element.children.some((child) => hasElement(child, name))

export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** A member of a multistatus: the status of the whole, or the properties that were found. */
export type DavMember = { href: string; status: number; properties: XmlElement }

export function readMultistatus(text: string): { members: DavMember[]; syncToken: string | null } {
  const root = parseXml(text)
  if (root.name !== `${DAV}multistatus`)
    throw new ProviderFault('unavailable', 'The server did not answer a multistatus.')
  const members = root.children
    .filter(({ name }) => name === `${DAV}response`)
    .map((response): DavMember => {
      const found = response.children.find(
        (child) => child.name === `${DAV}propstat` && readStatus(child, 200) === 200,
      )
      const empty: XmlElement = { name: '', text: '', attributes: {}, children: [] }
      return {
        href: findChild(response, `${DAV}href`)?.text.trim() ?? '',
        status: readStatus(response, 200),
        properties: findChild(found, `${DAV}prop`) ?? empty,
      }
    })
  return { members, syncToken: findChild(root, `${DAV}sync-token`)?.text.trim() || null }
}

function readStatus(element: XmlElement, otherwise: number): number {
  const [, status] = /^HTTP\/\S+ (\d{3})/.exec(findChild(element, `${DAV}status`)?.text.trim() ?? '') ?? []
  return status === undefined ? otherwise : Number(status)
}
