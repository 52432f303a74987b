import { readFileSync } from 'node:fs';
import type { ApiDocument } from './api-document.ts';
import { operationsOf } from './document-operations.ts';
import { fieldsOf, observedValuesOf, parseFields, resourceName } from './document-resources.ts';
import { type Section, sectionsBetween, sectionsOf, tableRowsOf, textUnder } from './markdown.ts';

const envelopeHeading = 'List envelope (all list operations)';

/** The committed copy of the document, parsed. */
export function readDocument(): ApiDocument {
  return parseDocument(readFileSync(new URL('../../fixtures/api.md', import.meta.url), 'utf8'));
}

/** Reads the document from its tables and its prose. Throws if its structure is unexpected. */
function parseDocument(markdown: string): ApiDocument {
  const sections = sectionsOf(markdown);
  const states = statesOf(sections);
  const resourceSections = sectionsBetween(sections, '2. Resources', '3. States').filter(
    ({ heading }) => heading !== envelopeHeading,
  );
  return {
    pathPrefix: /path prefix `([^`]+)`/.exec(textUnder(sections, '9. Versioning'))?.[1] ?? '',
    operations: operationsOf(sections, states),
    resources: Object.fromEntries(
      resourceSections.map((section) => [resourceName(section), fieldsOf(section)]),
    ),
    envelope: parseFields(textUnder(sections, envelopeHeading)),
    states,
    observedValues: Object.fromEntries(resourceSections.flatMap(observedValuesOf)),
    limits: Object.fromEntries(
      tableRowsOf(textUnder(sections, '8. Limits')).map(({ Limit = '', Value = '' }) => [
        Limit,
        Number.parseInt(Value, 10),
      ]),
    ),
  };
}

function statesOf(sections: readonly Section[]): Record<string, readonly string[]> {
  return Object.fromEntries(
    sectionsBetween(sections, '3. States', '4. Endpoints').flatMap(({ heading, text }) => {
      const values = /^Values: ([^.]+)\./m.exec(text)?.[1];
      return values === undefined ? [] : [[heading, values.split(', ')]];
    }),
  );
}
