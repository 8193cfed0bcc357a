// Khronos' glTF validator on one file: prints its report as JSON. NODE_PATH leads to the package.
const fs = require("fs");
const validator = require("gltf-validator");

validator
    .validateBytes(new Uint8Array(fs.readFileSync(process.argv[2])), { maxIssues: 100 })
    .then((report) => console.log(JSON.stringify(report)))
    .catch((error) => {
        console.error(error);
        process.exit(1);
    });
