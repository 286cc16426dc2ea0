// Renders the documents about the API. The first request for one of them loads this file, so that a gateway starts sooner.
import type { Endpoint } from '../../server/http/endpoint.ts'
import { createOpenApiDocument } from './document.ts'
import { renderErrorsPage, renderReferencePage } from './pages.ts'
import { createPostmanCollection } from './postman.ts'
import { extractSharedParts } from './shared-parts.ts'

/** Renders a document. `root` is the path of PUBLIC_URL, under which the gateway is served. */
type Render = (endpoints: Endpoint[], baseUrl: string, root: string) => string

export const renderOpenApi: Render = (endpoints, baseUrl) =>
  JSON.stringify(extractSharedParts(createOpenApiDocument(endpoints, baseUrl)))

export const renderPostman: Render = (endpoints, baseUrl) =>
  JSON.stringify(createPostmanCollection(createOpenApiDocument(endpoints, baseUrl)))

export const renderReference: Render = (endpoints, baseUrl, root) =>
  renderReferencePage(createOpenApiDocument(endpoints, baseUrl), root).text

export const renderErrors: Render = (_endpoints, baseUrl, root) => renderErrorsPage(root, baseUrl).text
