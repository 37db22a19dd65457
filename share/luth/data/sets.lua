-- Public data sets: where their files are, and what they must be. SHA-256 is of the file as it is fetched; MD5 where the
-- publishers give no other.
local M = {}

local mnist_files = { 'train-images-idx3-ubyte.gz', 'train-labels-idx1-ubyte.gz', 't10k-images-idx3-ubyte.gz', 't10k-labels-idx1-ubyte.gz' }

-- The four files of MNIST's format, of sums by kind.
local function like_mnist(address, kind, sums)
  local files = {}
  for i, name in ipairs(mnist_files) do files[i] = { name = name, address = address .. name, [kind] = sums[i] } end
  return files
end

M.all = {
  {
    name = 'california', about = '20,640 districts of California in 1990: eight numbers, the median price of a house', megabytes = 0.4,
    use = "data.CSV('california/cal_housing.data', {target = 9})",
    files = {
      { name = 'cal_housing.tgz', address = 'https://ndownloader.figshare.com/files/5976036', unpack = 'CaliforniaHousing',
        sha256 = 'aaa5c9a6afe2225cc2aed2723682ae403280c4a3695a2ddda4ffb5d8215ea681' },
    },
  },
  {
    name = 'cifar10', about = '60,000 colour images of 32 x 32 in 10 classes', megabytes = 170, use = 'data.CIFAR10{}',
    files = {
      { name = 'cifar-10-binary.tar.gz', address = 'https://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz', unpack = 'cifar-10-batches-bin',
        sha256 = 'c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd' },
    },
  },
  {
    name = 'cifar100', about = '60,000 colour images of 32 x 32 in 100 classes', megabytes = 169, use = 'data.CIFAR100{}',
    files = {
      { name = 'cifar-100-binary.tar.gz', address = 'https://www.cs.toronto.edu/~kriz/cifar-100-binary.tar.gz', unpack = 'cifar-100-binary',
        sha256 = '58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec' },
    },
  },
  {
    name = 'fashion-mnist', about = '70,000 grey images of clothes, 28 x 28, in 10 classes', megabytes = 31,
    use = "data.mnist{root = 'fashion-mnist'}",
    files = like_mnist('http://fashion-mnist.s3-website.eu-central-1.amazonaws.com/', 'sha256', {
      '3aede38d61863908ad78613f6a32ed271626dd12800ba2636569512369268a84', 'a04f17134ac03560a47e3764e11b92fc97de4d1bfaf8ba1a3aa29af54cc90845',
      '346e55b948d973a97e58d2351dde16a484bd415d4595297633bb08f03db6a073', '67da17c76eaffca5446c3361aaab5c3cd6d1c2608764d35dfb1850b086bf8dd5',
    }),
  },
  {
    name = 'kmnist', about = '70,000 grey images of handwritten kana, 28 x 28, in 10 classes', megabytes = 21,
    use = "data.mnist{root = 'kmnist'}",
    files = like_mnist('http://codh.rois.ac.jp/kmnist/dataset/kmnist/', 'md5', {
      'bdb82020997e1d708af4cf47b453dcf7', 'e144d726b3acfaa3e44228e80efcd344', '5c965bf0a639b31b8f53240b1b52f4d7',
      '7320c461ea6c1c855c0b718fb2a4b134',
    }),
  },
  {
    name = 'mnist', about = '70,000 grey images of digits, 28 x 28; also part of the installation, as data/mnist', megabytes = 12,
    use = "data.mnist{root = 'mnist'}",
    files = like_mnist('https://ossci-datasets.s3.amazonaws.com/mnist/', 'sha256', {
      '440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609', '3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c',
      '8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6', 'f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6',
    }),
  },
  {
    name = 'tinyshakespeare', about = '1.1 MB of plays by Shakespeare; also part of the installation, as data/tinyshakespeare.txt', megabytes = 1.1,
    use = "io.open(...): a text",
    files = {
      { name = 'input.txt', address = 'https://raw.githubusercontent.com/karpathy/char-rnn/master/data/tinyshakespeare/input.txt',
        sha256 = '86c4e6aa9db7c042ec79f339dcb96d42b0075e16b8fc2e86bf0ca57e2dc565ed' },
    },
  },
}

-- The set of that name, or nil; and all names.
function M.find(name)
  local names = {}
  for i, set in ipairs(M.all) do
    if set.name == name then return set end
    names[i] = set.name
  end
  return nil, names
end

return M
