import {
  type ApiDocument,
  type DocumentedField,
  type DocumentedOperation,
  type Shape,
  shapeOfReply,
} from './api-document.ts';
import { lineOfInput, linesOfWords } from './lines.ts';
import { oncePer } from './once.ts';

/** Writes the document in lines, with a block for each operation, resource and the like. */
export const blocksOfDocument = oncePer((document: ApiDocument): string[] => [
  `path prefix: ${document.pathPrefix}`,
  ...document.operations.map((operation) => linesOfDocumented(operation, document).join('\n')),
  ...Object.entries(document.resources).map(([name, fields]) =>
    linesOfFields(name, fields, document).join('\n'),
  ),
  ...linesOfWords('state', document.states),
  // The document names values for further fields, which the contract does not use.
  ...linesOfWords('observed', document.observedValues).filter((line) =>
    /^observed Re(?:view.uploadFrom|ward.reviewCategory):/.test(line),
  ),
  ...Object.entries(document.limits).map(([name, value]) => `limit ${name}: ${value}`),
]);

function linesOfDocumented(operation: DocumentedOperation, document: ApiDocument): string[] {
  const { number, method, path, purpose, query, body, reply } = operation;
  const entriesMaximum = body?.entriesMaximum === undefined ? '' : ` of at most ${body.entriesMaximum}`;
  return [
    `${number}: ${method} ${path}, ${purpose}`,
    ...query.map((input) => `${number} query ${lineOfInput(input)}`),
    `${number} body: ${body === undefined ? 'none' : body.isBulk ? `array${entriesMaximum}` : 'object'}`,
    ...(body?.fields ?? []).map((input) => `${number} body ${lineOfInput(input)}`),
    ...linesOfShape(`${number} reply`, shapeOfReply(reply, document), document),
  ];
}

function linesOfFields(path: string, fields: readonly DocumentedField[], document: ApiDocument): string[] {
  return fields.flatMap(({ name, shape }) => linesOfShape(`${path}.${name}`, shape, document));
}

function linesOfShape(path: string, shape: Shape, document: ApiDocument): string[] {
  switch (shape.kind) {
    case 'scalar':
      return [`${path}: ${shape.type}`];
    case 'list':
      return linesOfShape(`${path}[]`, shape.element, document);
    case 'object':
      return linesOfFields(path, shape.fields, document);
    case 'resource':
      return linesOfFields(path, document.resources[shape.name] ?? [], document);
  }
}
